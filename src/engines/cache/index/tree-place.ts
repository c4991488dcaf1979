import { realpathSync } from 'node:fs'
import { FolderMoved, OpenFolder } from '../../../core/lib/open-folder.ts'
import { diskProblem, TreeProblem } from './tree.ts'

/** A tree held open; tells when another disk, another folder or nothing is at its path instead. */
export class TreePlace {
  readonly path: string
  /** All work goes through this folder: what is put at the path meanwhile is never touched. */
  readonly folder: OpenFolder

  /** `path`: canonical, as the index has it. Throws TreeProblem when it leads elsewhere now. */
  constructor(path: string) {
    this.path = path
    this.folder = this.#asked(() => {
      this.#requireCanonical()
      return OpenFolder.at(path)
    })
  }

  /** Throws TreeProblem when the disk went away or changed. */
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
