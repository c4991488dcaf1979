/*
 * Deletions go through open folders (`open-folder.ts`). The owner of a cache or of logs may
 * replace a folder by a link at any moment. A job opens its root once and compares it with its
 * path before each deletion; it opens each folder below from its parent without following links or
 * entering mounts, and addresses files as `/proc/self/fd/<folder>/<name>`. A file is therefore
 * only ever removed from the folder that was checked. New versions of log files are written,
 * renamed and discarded the same way, and only beside the file that was read.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
} from 'node:fs'

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** The folder is not the one that its path named, or another file system is mounted there. */
export class FolderMoved extends Error {}

/**
 * A folder that is held open. Its entries are addressed through the open descriptor, so renaming a
 * parent or replacing it with a link cannot redirect a deletion. Linux only. Close it only after
 * all calls with its addresses have ended: descriptors are reused.
 */
export class OpenFolder {
  readonly #descriptor: number
  readonly device: number
  readonly #inode: number
  readonly #mount: string

  /** Opens a folder, never the target of a link. Throws the error of `open`. */
  private constructor(path: string) {
    this.#descriptor = openSync(path, flags)
    try {
      const { dev, ino } = fstatSync(this.#descriptor)
      this.device = dev
      this.#inode = ino
      // Bind mounts have the device number of their source; only the mount id differs.
      const about = readFileSync(`/proc/self/fdinfo/${this.#descriptor}`, 'latin1')
      this.#mount = /^mnt_id:\s*(\d+)/m.exec(about)?.[1] ?? ''
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** `path`: canonical. Throws FolderMoved when links now lead elsewhere. */
  static at(path: string): OpenFolder {
    const folder = new OpenFolder(path)
    if (readlinkSync(`/proc/self/fd/${folder.#descriptor}`) === path) return folder
    folder.close()
    throw new FolderMoved(`${path} leads somewhere else now`)
  }

  /** A subfolder. Throws the error of `open`: ENOENT, or ENOTDIR for a link or a file. */
  child(name: string): OpenFolder {
    const child = new OpenFolder(this.pathOf(name))
    if (child.device === this.device && child.#mount === this.#mount) return child
    child.close()
    throw new FolderMoved(`another file system is mounted on ${name}`)
  }

  /** Address of an entry; the empty name is the folder itself. */
  pathOf(name: string): string {
    return `/proc/self/fd/${this.#descriptor}/${name}`
  }

  /** Whether `path` still names this folder. Throws the error of `stat`. */
  isAt(path: string): boolean {
    const { dev, ino } = lstatSync(path)
    return dev === this.device && ino === this.#inode
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
