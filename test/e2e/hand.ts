import type { Locator, Page } from 'playwright-core'
import { en } from './texts.ts'

/** Uses a page and counts the clicks; typing is free. */
export class Hand {
  clicks = 0
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  async click(target: Locator): Promise<void> {
    this.clicks++
    await target.first().click()
  }

  /** Opens a page by the navigation. The page before it, which has a range too, stays until it is loaded. */
  async openPage(name: string): Promise<void> {
    await this.click(this.#page.getByRole('link', { name, exact: true }).filter({ visible: true }))
    await this.#page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  }

  /** Opening a list and choosing from it. */
  async choose(target: Locator, value: string): Promise<void> {
    this.clicks++
    await target.selectOption(value)
  }

  /** Types into the palette and takes what it offers first. */
  async type(text: string, first: string): Promise<void> {
    const { keyboard } = this.#page
    await keyboard.press('Control+k')
    await this.#page.getByRole('combobox', { name: en['palette.prompt'] }).fill(text)
    await this.#page
      .getByRole('option', { selected: true })
      .filter({ hasText: new RegExp(`^${RegExp.escape(first)}`) })
      .waitFor()
    await keyboard.press('Enter')
  }
}
