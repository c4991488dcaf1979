import { mkdirSync, mkdtempSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeletionRate, DeleteMode, SizeScan } from '../contract.ts'
import type { CacheSession } from './session.ts'

const scanKey = 'sizeScan'
const rateKey = 'deletionRate'
/** Calibrating with this many files takes some tens of milliseconds on a local disk. */
const calibrationFiles = 1000
const calibrationDirs = 20
const calibrationBytes = Buffer.alloc(1024, 1)
/** `rsync` compares names while deleting; measured at about 1.2 times a plain deletion. */
const rsyncFactor = 1.2

// These keys are written only here and by clearing a cache, in these shapes.
const rateOf = ({ store }: CacheSession, key: string) => store.meta(key) as DeletionRate | null

export const lastSizeScan = ({ store }: CacheSession): SizeScan | null =>
  store.meta(scanKey) as SizeScan | null

/** Saves the indexed totals of all trees as the last size scan. */
export function saveSizeScan(
  session: CacheSession,
  { dataPath, ...facts }: Pick<SizeScan, 'scanDurationMs' | 'usage'> & { dataPath: string },
): SizeScan {
  const { store } = session
  const sum = { totalBytes: 0, totalFiles: 0, totalDirectories: 0, hexDirectories: 0 }
  for (const root of store.roots()) {
    sum.totalBytes += root.bytes
    sum.totalFiles += root.files
    sum.totalDirectories += root.directories
    sum.hexDirectories += root.hexDirectories
  }
  const deletionSeconds = deletionSecondsOf(session, { dataPath, ...sum })
  const scan = { ...sum, ...facts, deletionSeconds, timestamp: new Date().toISOString() }
  store.setMeta(scanKey, scan)
  return scan
}

type Counts = Pick<SizeScan, 'totalFiles' | 'hexDirectories'>

/** Time to delete that many files with each method. */
export function deletionSecondsOf(
  session: CacheSession,
  { dataPath, ...counts }: Counts & { dataPath: string },
): SizeScan['deletionSeconds'] {
  const usual = deletionRate(session, dataPath)
  const secondsFor = (mode: DeleteMode) => secondsWith(session, mode, { usual, counts })
  return { preserve: secondsFor('preserve'), full: secondsFor('full'), rsync: secondsFor('rsync') }
}

/** From the last clearing with this method, else from the calibration. */
function secondsWith(
  session: CacheSession,
  mode: DeleteMode,
  { usual, counts }: { usual: DeletionRate; counts: Counts },
): number {
  const measured = rateOf(session, `${rateKey}:${mode}`)
  const rate = measured ?? usual
  // Keeping directories means listing them, which the calibration does not measure.
  const directories = mode === 'preserve' && measured === null ? 0 : counts.hexDirectories
  const seconds = rate.secondsPerFile * counts.totalFiles + rate.secondsPerDirectory * directories
  return measured === null && mode === 'rsync' ? seconds * rsyncFactor : seconds
}

/** Measured once, in the data directory: calibration never writes into a cache. */
function deletionRate(session: CacheSession, dataPath: string): DeletionRate {
  const known = rateOf(session, rateKey)
  if (known !== null) return known
  const rate = calibrate(dataPath)
  session.store.setMeta(rateKey, rate)
  return rate
}

function calibrate(dataPath: string): DeletionRate {
  const folder = mkdtempSync(join(dataPath, 'calibration-'))
  try {
    const directories = Array.from({ length: calibrationDirs }, (_, at) => join(folder, `${at}`))
    const files: string[] = []
    for (const path of directories) {
      mkdirSync(path)
      for (let at = 0; at < calibrationFiles / calibrationDirs; at++) {
        const file = join(path, `${at}`)
        writeFileSync(file, calibrationBytes)
        files.push(file)
      }
    }
    const startMs = performance.now()
    for (const file of files) unlinkSync(file)
    const filesMs = performance.now()
    for (const path of directories) rmdirSync(path)
    const endMs = performance.now()
    return {
      secondsPerFile: (filesMs - startMs) / 1000 / files.length,
      secondsPerDirectory: (endMs - filesMs) / 1000 / directories.length,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
