import { expect, test } from 'bun:test'

test('a folder that its owner may not enter is removed all the same', () => {
  const here = JSON.stringify(new URL('./temp-folder.ts', import.meta.url).href)
  // As an ordinary user: to root no folder is closed.
  const script = `
    if (process.getuid() === 0) process.setuid(65534)
    const { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } = require('node:fs')
    const { removeTree } = await import(${here})
    const folder = mkdtempSync(require('node:os').tmpdir() + '/larder-closed-')
    mkdirSync(folder + '/closed')
    writeFileSync(folder + '/closed/file', 'x')
    chmodSync(folder + '/closed', 0)
    removeTree(folder)
    console.log(existsSync(folder))`
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script])
  expect(stdout.toString().trim()).toBe('false')
})
