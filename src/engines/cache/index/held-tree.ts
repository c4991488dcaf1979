import { realpathSync } from 'node:fs'
import { FolderMoved, OpenFolder } from '../../../core/lib/open-folder.ts'
import { diskProblem, TreeProblem } from './tree.ts'

/** A tree held open; detects another disk or folder, or nothing, at its path. */
export class HeldTree {
  readonly path: string
  /** All work goes through this folder, so nothing that replaces it at its path is touched. */
  readonly folder: OpenFolder

  /** `path`: canonical, as indexed. Throws TreeProblem when it now leads elsewhere. */
  constructor(path: string) {
    this.path = path
    this.folder = this.#asked(() => {
      this.#requireCanonical()
      return OpenFolder.at(path)
    })
  }

  /** Throws TreeProblem when the disk was removed or replaced. */
  check(): void {
    this.#asked(() => {
      this.#requireCanonical()
      if (!this.folder.isAt(this.path)) {
        throw new FolderMoved(`${this.path} is on another disk now; is it mounted?`)
      }
    })
  }

  close(): void {
    this.folder.close()
  }

  #requireCanonical(): void {
    if (realpathSync(this.path) === this.path) return
    throw new FolderMoved(`${this.path} leads somewhere else now`)
  }

  #asked<T>(ask: () => T): T {
    try {
      return ask()
    } catch (error) {
      const text = error instanceof FolderMoved ? error.message : diskProblem(error, this.path)
      throw new TreeProblem(text)
    }
  }
}
