/** The longest value, key included, that is held in memory. */
const valueCharsMax = 1024 * 1024

const space = 0x20
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a

const isOpening = (code: number) => code === 0x7b || code === 0x5b
const isClosing = (code: number) => code === 0x7d || code === 0x5d

/** Keys of the objects around a value, outermost first; empty texts for arrays. */
type OnValue = (keys: readonly string[], value: unknown) => void

/**
 * Reads a JSON text of any length and hands over each value at one depth: with depth 2, the members
 * of the root's members. Holds one value at a time, so memory does not depend on the length.
 */
export class JsonMembers {
  readonly #depth: number
  readonly #onValue: OnValue
  #text = ''
  /** Where in `#text` the current value or key begins, and where scanning continues. */
  #from = 0
  #at = 0
  #level = 0
  #keys: string[] = []
  #isInString = false

  constructor(depth: number, onValue: OnValue) {
    this.#depth = depth
    this.#onValue = onValue
  }

  /** Throws when the text is not JSON, or a value is too long. */
  write(chunk: string): void {
    this.#text = this.#text.slice(this.#from) + chunk
    this.#at -= this.#from
    this.#from = 0
    if (this.#text.length - chunk.length > valueCharsMax) throw new Error('a value is too long')
    while (this.#at < this.#text.length) this.#step()
  }

  /** Throws when the text ended too early or held nothing. */
  end(): void {
    if (this.#level !== 0 || this.#isInString || this.#at === 0)
      throw new Error('it ends too early')
  }

  #step(): void {
    if (this.#isInString) return this.#passString()
    const code = this.#text.charCodeAt(this.#at)
    if (this.#level === 0 && code > space && !isOpening(code)) throw new Error('it is not JSON')
    if (code === quote) this.#isInString = true
    else if (isOpening(code)) {
      this.#level++
      if (this.#level <= this.#depth) this.#begin('')
    } else if (isClosing(code)) {
      if (this.#level === this.#depth) this.#emit()
      if (this.#level <= this.#depth) this.#from = this.#at + 1
      this.#level--
    } else if (this.#level <= this.#depth) {
      if (code === comma) {
        if (this.#level === this.#depth) this.#emit()
        this.#from = this.#at + 1
      } else if (code === colon) this.#begin(this.#taken() as string)
    }
    this.#at++
  }

  /** The next member belongs to `key` of the innermost object. */
  #begin(key: string): void {
    this.#keys = [...this.#keys.slice(0, this.#level - 1), key]
    this.#from = this.#at + 1
  }

  #taken(): unknown {
    return JSON.parse(this.#text.slice(this.#from, this.#at))
  }

  #emit(): void {
    // Nothing between brackets: an empty object or array.
    if (this.#text.slice(this.#from, this.#at).trim() === '') return
    this.#onValue(this.#keys, this.#taken())
  }

  /** Moves behind the string, or as far as there is text; an escape may lie across two chunks. */
  #passString(): void {
    const text = this.#text
    let at = this.#at
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === backslash) at++
      else if (code === quote) {
        this.#isInString = false
        at++
        break
      }
    }
    this.#at = at
  }
}
