// SPDX-License-Identifier: MIT
package isomat;

/** A call failed. The message is the library's one line. */
public class IsomatException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** ISOMAT_ERROR_...; 0 if the library could not be opened or does not fit this binding. */
    public final int status;

    IsomatException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The status by name: "ISOMAT_ERROR_ALIAS"; "" if there is none. */
    public String statusName() {
        return status == Api.ISOMAT_OK ? "" : Api.isomat_status_name(status);
    }
}
