// SPDX-License-Identifier: MIT
package isomat;

import java.lang.ref.Reference;

/** A point in the context's default stream. */
public final class Event extends IsomatObject {
    Event(long handle) {
        super(Api::isomat_event_destroy, handle);
    }

    /** Marks the stream's present end. */
    public void record() {
        check(Api.isomat_event_record(handle, Api.ISOMAT_NONE));
    }

    /** Milliseconds on the device's clock. */
    public double elapsedSince(Event start) {
        double[] milliseconds = new double[1];
        check(Api.isomat_event_elapsed(milliseconds, start.handle, handle));
        Reference.reachabilityFence(start);
        return milliseconds[0];
    }
}
