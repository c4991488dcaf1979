import { readFile, realpath } from 'node:fs/promises'
import { basename } from 'node:path'

/** How busy a disk was between two readings, 0 to 1; null: the kernel does not say. */
export interface DiskLoad {
  /** Share of the time in which the disk had work. */
  busy: number | null
  /** Share of the processors' time that was spent waiting for any disk. */
  waiting: number | null
}

/** Columns of `/proc/diskstats` and of the first line of `/proc/stat`, from zero. */
const column = { deviceName: 2, busyMs: 12, waitTicks: 5, firstTicks: 1, endTicks: 9 }

/** Reads the texts of `/proc/diskstats` and `/proc/stat`; empty where the kernel has none. */
export function countersOf(diskstats: string, stat: string, atMs: number) {
  const rows = diskstats.split('\n').map((line) => line.trim().split(/\s+/))
  const busyMs = new Map(
    rows.flatMap((row) => {
      const [name, busy] = [row[column.deviceName], row[column.busyMs]]
      return name === undefined || busy === undefined ? [] : [[name, Number(busy)] as const]
    }),
  )
  const cpu = (stat.split('\n', 1)[0] ?? '').split(/\s+/)
  const ticks = cpu.slice(column.firstTicks, column.endTicks).map(Number)
  return {
    atMs,
    /** Milliseconds in which each block device had work. */
    busyMs,
    /** Ticks of all processors: idle while a process waited for a disk, and altogether. */
    waitTicks: Number(cpu[column.waitTicks] ?? 0),
    allTicks: ticks.reduce((sum, one) => sum + one, 0),
  }
}
/** Counters of the kernel since the machine started. */
export type LoadCounters = ReturnType<typeof countersOf>

/** In a container, too, these are the counters of the whole machine. */
export async function readCounters(elapsedMs: number, folder = '/proc'): Promise<LoadCounters> {
  const read = (name: string) => readFile(`${folder}/${name}`, 'utf8').catch(() => '')
  return countersOf(await read('diskstats'), await read('stat'), elapsedMs)
}

/** A mounted device as the kernel's tables name it: `/dev/mapper/vg-cache` is `dm-0`. */
export const kernelName = async (device: string): Promise<string> =>
  basename(await realpath(device).catch(() => device))

/** The load between two readings of the same machine. */
export function loadBetween(before: LoadCounters, after: LoadCounters, name: string): DiskLoad {
  const [first, last] = [before.busyMs.get(name), after.busyMs.get(name)]
  const elapsedMs = after.atMs - before.atMs
  const ticks = after.allTicks - before.allTicks
  const within = (value: number) => Math.min(1, Math.max(0, value))
  return {
    busy:
      first === undefined || last === undefined || elapsedMs <= 0
        ? null
        : within((last - first) / elapsedMs),
    waiting: ticks <= 0 ? null : within((after.waitTicks - before.waitTicks) / ticks),
  }
}
