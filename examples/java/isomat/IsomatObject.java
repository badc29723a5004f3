// SPDX-License-Identifier: MIT
package isomat;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.function.LongToIntFunction;

/**
 * What every object of isomat has: a handle, and an end. Closed by close(), by try-with-resources, or some time
 * after it was dropped; in any order and twice, from any thread. A closed object keeps its handle: the library
 * refuses it by name.
 */
public abstract class IsomatObject implements AutoCloseable {
    private static final Cleaner CLEANER = Cleaner.create();

    final long handle;
    private final Cleaner.Cleanable cleanable;

    IsomatObject(LongToIntFunction destroy, long handle) {
        this.handle = handle;
        cleanable = CLEANER.register(this, () -> destroy.applyAsInt(handle)); // without this
    }

    /** Destroys the handle; the library keeps what others still need. */
    @Override
    public void close() {
        cleanable.clean(); // once, whoever calls it
    }

    /** Throws if a call with this handle failed; and until then the collector does not destroy the object. */
    final void check(int status) {
        Reference.reachabilityFence(this);
        Isomat.check(status);
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " " + Long.toHexString(handle);
    }
}
