// SPDX-License-Identifier: MIT
package isomat;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Structure;
import java.util.Map;

/** The shared library, opened once for the process by the first call that needs it, and never closed. */
public final class Isomat {
    private static final int MAJOR = Api.ISOMAT_VERSION_MAJOR;
    private static final int NEEDED =
            MAJOR * 1_000_000 + Api.ISOMAT_VERSION_MINOR * 1000 + Api.ISOMAT_VERSION_PATCH;
    private static boolean opened;

    private Isomat() {}

    /** Opens the library that ISOMAT_LIBRARY names, else the installed one. A failure is not remembered. */
    static synchronized void open() {
        if (opened) {
            return;
        }
        String path = System.getenv("ISOMAT_LIBRARY");
        if (path == null || path.isEmpty()) {
            path = "libisomat.so.0";
        }
        try {
            NativeLibrary library =
                    NativeLibrary.getInstance(path, Map.of(Library.OPTION_STRING_ENCODING, "UTF-8"));
            checkVersion(library.getFunction("isomat_version").invokeInt(null), path);
            Native.register(Api.class, library);
        } catch (UnsatisfiedLinkError error) {
            String line = error.getMessage().strip().replaceAll("\\s*\n\\s*", " "); // JNA's has several
            throw new IsomatException(Api.ISOMAT_OK, path + " is not to be opened as isomat: " + line);
        }
        opened = true;
    }

    /** Functions are only added within a major version. */
    static void checkVersion(int found, String path) {
        if (found < NEEDED || found / 1_000_000 != MAJOR) {
            throw new IsomatException(Api.ISOMAT_OK, path + " is version " + text(found) + ", this binding needs "
                    + text(NEEDED) + " or later, below " + (MAJOR + 1) + ".0.0");
        }
    }

    private static String text(int version) {
        return version / 1_000_000 + "." + version / 1000 % 1000 + "." + version % 1000;
    }

    /** Throws the calling thread's last failure if a status is one. */
    static void check(int status) {
        if (status != Api.ISOMAT_OK) {
            throw new IsomatException(status, Api.isomat_error_message());
        }
    }

    /** A struct of isomat.h, ready to be filled. */
    static <T extends Structure> T sized(T struct) {
        struct.clear();
        struct.getPointer().setInt(0, struct.size());
        return struct;
    }

    /** The version of the library in use. */
    public static String version() {
        open();
        return Api.isomat_version_string();
    }

    /** How many objects of isomat exist in this process. */
    public static long liveObjects() {
        open();
        return Api.isomat_live_objects();
    }

    /** About a device. */
    public static Api.isomat_device_info deviceInfo(int device) {
        open();
        Api.isomat_device_info info = sized(new Api.isomat_device_info());
        check(Api.isomat_device_get_info(info.getPointer(), device));
        info.read();
        return info;
    }

    /** A device's name. */
    public static String deviceName(int device) {
        return Native.toString(deviceInfo(device).name, "UTF-8");
    }
}
