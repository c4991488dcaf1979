import { lstatSync, realpathSync } from 'node:fs'
import { diskProblem, TreeProblem } from './tree.ts'

/** Where a tree was found; tells when another disk, another folder or nothing is there instead. */
export class TreePlace {
  readonly path: string
  /** Number of the file system, as `lstat` tells it. */
  readonly device: number
  readonly #inode: number

  /** `path`: canonical, as the index has it. Throws TreeProblem when it leads elsewhere now. */
  constructor(path: string) {
    this.path = path
    const { dev, ino } = this.#look()
    this.device = dev
    this.#inode = ino
  }

  /** Throws TreeProblem when the disk went away or changed. */
  check(): void {
    const { dev, ino } = this.#look()
    if (dev !== this.device || ino !== this.#inode) {
      throw new TreeProblem(`${this.path} is on another disk now; is it mounted?`)
    }
  }

  #look() {
    try {
      if (realpathSync(this.path) !== this.path) {
        throw new TreeProblem(`${this.path} leads somewhere else now`)
      }
      return lstatSync(this.path)
    } catch (error) {
      if (error instanceof TreeProblem) throw error
      throw new TreeProblem(diskProblem(error, this.path))
    }
  }
}
