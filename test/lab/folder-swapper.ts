import { mkdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sliceKey, writeCacheFile } from '../../src/demo/cache-generator.ts'

/**
 * Started by a test: the owner of a cache who keeps replacing its folders, and the cache itself,
 * with links to a foreign tree and with another folder, and stores new cache files in between. Ends
 * when its input does and prints the number of swaps.
 */
const [ownRoot = '', foreign = '', decoy = '', count = '0', user] = process.argv.slice(2)
const cache = join(ownRoot, 'cache')
const aside = join(ownRoot, 'aside')
if (user !== undefined) process.setuid?.(Number(user))

const keys = Array.from({ length: Number(count) }, (_, at) =>
  sliceKey('steam', `/depot/1/chunk/${at}`, 0),
)
const md5 = (key: string) => new Bun.CryptoHasher('md5').update(key).digest('hex')
const folders = keys.map(md5).map((name) => join(name.slice(30), name.slice(28, 30)))

/** False when the service has just removed the folder. */
function attempt(step: () => void): boolean {
  try {
    step()
    return true
  } catch {
    return false
  }
}

function swapForLink(path: string, target: string): void {
  if (!attempt(() => renameSync(path, aside))) return
  attempt(() => symlinkSync(target, path))
  Bun.sleepSync(Math.random() < 0.5 ? 0 : 1)
  attempt(() => unlinkSync(path))
  attempt(() => renameSync(aside, path))
}

function swapForFolder(): void {
  if (!attempt(() => renameSync(cache, aside))) return
  attempt(() => renameSync(decoy, cache))
  Bun.sleepSync(1)
  attempt(() => renameSync(cache, decoy))
  attempt(() => renameSync(aside, cache))
}

function refill(): void {
  for (const key of keys) {
    attempt(() => {
      mkdirSync(dirname(join(cache, folders[0] ?? '')), { recursive: true })
      writeCacheFile(cache, { key, body: Buffer.alloc(64, 7), storedAt: 1_790_000_000 })
    })
  }
}

const end = new AbortController()
void Bun.stdin.text().then(() => end.abort())
refill()
process.stdout.write('ready\n')
let swaps = 0
while (!end.signal.aborted) {
  for (let step = 0; step < 60; step++, swaps++) {
    const folder = folders[Math.floor(Math.random() * folders.length)] ?? ''
    const kind = step % 6
    if (kind < 3) swapForLink(join(cache, dirname(folder)), join(foreign, dirname(folder)))
    else if (kind < 5) swapForLink(join(cache, folder), join(foreign, folder))
    else if (step % 12 === 5) swapForLink(cache, foreign)
    else swapForFolder()
  }
  refill()
  await Bun.sleep(0)
}
process.stdout.write(`${swaps}\n`)
