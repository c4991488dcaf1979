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

/** A folder is not the one that its path named, or another file system is mounted there. */
export class FolderMoved extends Error {}

/**
 * A folder that is held open. Its entries are addressed through the open descriptor, so a folder
 * above them that is renamed or replaced by a link cannot lead a deletion anywhere else. Linux only.
 * Close it only after all calls with its addresses have ended: descriptors are used again.
 */
export class OpenFolder {
  readonly #descriptor: number
  readonly device: number
  readonly #inode: number
  readonly #mount: string

  /** Opens a folder, never the target of a link. Throws what opening throws. */
  private constructor(path: string) {
    this.#descriptor = openSync(path, flags)
    try {
      const { dev, ino } = fstatSync(this.#descriptor)
      this.device = dev
      this.#inode = ino
      // Bind mounts have the device number of what they show; only the mount differs.
      const about = readFileSync(`/proc/self/fdinfo/${this.#descriptor}`, 'latin1')
      this.#mount = /^mnt_id:\s*(\d+)/m.exec(about)?.[1] ?? ''
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** `path`: canonical. Throws FolderMoved when links lead somewhere else by now. */
  static at(path: string): OpenFolder {
    const folder = new OpenFolder(path)
    if (readlinkSync(`/proc/self/fd/${folder.#descriptor}`) === path) return folder
    folder.close()
    throw new FolderMoved(`${path} leads somewhere else now`)
  }

  /** A folder in this one. Throws what opening throws: ENOENT, ENOTDIR for a link or a file. */
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

  /** Whether `path` still names this folder. Throws what looking at it throws. */
  isAt(path: string): boolean {
    const { dev, ino } = lstatSync(path)
    return dev === this.device && ino === this.#inode
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}
