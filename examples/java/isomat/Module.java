// SPDX-License-Identifier: MIT
package isomat;

/** Device code that is loaded. */
public final class Module extends IsomatObject {
    Module(long handle) {
        super(Api::isomat_module_destroy, handle);
    }

    /** A kernel by its name in the image: extern "C", or mangled. The kernel keeps its module. */
    public Kernel kernel(String name) {
        long[] slot = new long[1];
        check(Api.isomat_kernel_get(slot, handle, name));
        return new Kernel(slot[0]);
    }
}
