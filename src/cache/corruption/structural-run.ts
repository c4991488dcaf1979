import type { CacheParts } from '../parts.ts'
import type { WalkOutcome, WalkProgress } from '../../engines/cache/contract.ts'
import { headBytesMax } from '../../engines/cache/format/header.ts'
import type {
  Candidate,
  StructuralFindings,
  StructuralStart,
} from '../../engines/cache/corruption/corruption-contract.ts'
import type { Coverage, ScanMode, ScanSummary } from '../../engines/cache/corruption/wire.ts'
import { maxCandidates } from '../../engines/cache/corruption/corruption-contract.ts'
import { stableAgeMs } from '../../engines/cache/index/directory-pass.ts'
import { added } from '../../core/lib/added.ts'
import { MovingRate } from '../../core/lib/moving-rate.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
import { hostOf } from '../../engines/remote/hosts.ts'
import { errorText } from '../../core/lib/error-text.ts'
import { stage, totalsOf, type DetectionRun } from './detection.ts'

interface TreeResult {
  start: StructuralStart
  walk: WalkOutcome
  findings: StructuralFindings
}

/** Checks the files of all caches and stores the corrupted ones; see `Corruption`. */
export async function runStructural(
  deps: CacheParts,
  run: DetectionRun & { mode: ScanMode },
  context: OperationContext,
): Promise<OperationResult> {
  const { cache } = deps
  // Datasources that share a folder are scanned once.
  const roots = (await cache.roots()).filter(({ sharedWith }) => sharedWith === null)
  const meter = new Meter(run, context, roots.length)
  const scans = await scanMachines(deps, { run, meter, context }, roots)
  const ends = scans.filter((scan) => 'kind' in scan)
  const failures = ends.flatMap((end) => (end.kind === 'failed' ? [end.error] : []))
  if (context.signal.aborted || ends.length > failures.length) return { kind: 'cancelled' }
  if (failures.length > 0) {
    return { kind: 'failed', error: failures.join('; '), stageKey: stage('failed') }
  }
  const results = scans.filter((scan) => 'findings' in scan)
  run.baselineStatus = 'ready'
  const summary = summaryOf(run, results)
  run.summary = summary
  const candidates = results.flatMap(({ findings }) => findings.candidates).slice(0, maxCandidates)
  const coverage = results.map(({ findings }) => findings.coverage).reduce(added, noCoverage)
  await cache.corruption.saveScan(
    {
      id: context.operationId,
      method: 'structural',
      mode: run.mode,
      completedAt: deps.clock.now().getTime(),
      settings: { minStableAgeSeconds: stableAgeMs / 1000, maxPrefixBytes: headBytesMax },
      coverage,
      summary,
    },
    candidates,
  )
  const facts = { ...summary, count: summary.invalidFiles, scanId: context.operationId }
  const names = { full: 'Full', incremental: 'Incremental', baseline: 'Baseline' }
  return {
    kind: 'completed',
    stageKey: stage(`completeStructural${names[summary.effectiveScanMode]}`),
    context: facts,
    fields: {
      ...facts,
      ...totalsOf('structural', candidates),
      detectionMethod: 'structural',
      coverage,
      scanSummary: summary,
    },
  }
}

interface TreeScan {
  run: DetectionRun & { mode: ScanMode }
  meter: Meter
  context: OperationContext
}

/** The trees of a machine one after another, those of several machines at the same time. */
async function scanMachines(
  deps: CacheParts,
  scan: TreeScan,
  roots: readonly { datasource: string }[],
): Promise<(TreeResult | OperationResult)[]> {
  const machines = Map.groupBy(roots, ({ datasource }) => hostOf(deps.nodeHosts, datasource)?.slot)
  const scans = [...machines.values()].map(async (trees) => {
    const results: (TreeResult | OperationResult)[] = []
    for (const { datasource } of trees) {
      const result = await scanTree(deps, datasource, scan).catch((error: unknown) => {
        const text = `${datasource}: ${errorText(error)}`
        return { kind: 'failed' as const, error: text, stageKey: stage('failed') }
      })
      results.push(result)
      if ('kind' in result) break
    }
    return results
  })
  return (await Promise.all(scans)).flat()
}

async function scanTree(
  deps: CacheParts,
  datasource: string,
  { run, meter: all, context }: TreeScan,
): Promise<TreeResult | OperationResult> {
  const { cache } = deps
  const { signal } = context
  const meter = all.tree(datasource)
  const start = await cache.corruption.beginStructural(datasource, run.mode)
  Object.assign(run, { effectiveMode: start.effectiveMode, resumed: start.resumed })
  run.baselineStatus = 'building'
  meter.begin(start)
  let isComplete = false
  try {
    const progress = (report: WalkProgress) => meter.walked(report)
    const outcomes = await cache.walk({ datasource, depth: start.depth }, { signal, progress })
    const walk = outcomes.find((one) => one.datasource === datasource) ?? outcomes[0]
    if (signal.aborted || walk?.state === 'cancelled') return { kind: 'cancelled' }
    if (walk === undefined || walk.state === 'failed') {
      const reason = walk?.problem ?? 'the datasource is unknown'
      return { kind: 'failed', error: `${datasource}: ${reason}`, stageKey: stage('failed') }
    }
    meter.evidence()
    const findings = await cache.corruption.structuralFindings(
      { datasource, walk },
      { signal, progress: () => {} },
    )
    if (signal.aborted) return { kind: 'cancelled' }
    isComplete = true
    meter.found(findings.invalidFiles)
    return { start, walk, findings }
  } finally {
    if (!isComplete) run.baselineStatus = 'incomplete'
    await cache.corruption.endStructural(datasource, isComplete)
  }
}

const noCoverage: Coverage = {
  filesSeen: 0,
  filesChecked: 0,
  consistent: 0,
  bytesRead: 0,
  sparseFiles: 0,
  skippedByReason: {},
  ioErrors: 0,
}

function summaryOf(run: DetectionRun & { mode: ScanMode }, results: TreeResult[]): ScanSummary {
  const sum = (value: (result: TreeResult) => number) => sumOf(results, value)
  const candidates: Candidate[] = results.flatMap(({ findings }) => findings.candidates)
  const files = sum(({ walk }) => walk.files)
  const inspected = sum(({ walk }) => walk.headersRead)
  // With several trees: the requested mode, unless one of them had no baseline.
  const modes = results.map(({ start }) => start.effectiveMode)
  return {
    scanMode: run.mode,
    effectiveScanMode: modes.includes('baseline') ? 'baseline' : (modes[0] ?? run.mode),
    baselineStatus: 'ready',
    resumed: results.some(({ start }) => start.resumed),
    filesDiscovered: files,
    filesProcessed: files,
    filesReused: Math.max(0, files - inspected),
    filesInspected: inspected,
    filesRevalidated: sum(({ start }) => start.filesRevalidated),
    invalidFiles: sum(({ findings }) => findings.invalidFiles),
    filesPendingRetry: sum(({ findings }) => findings.filesPendingRetry),
    filesPruned: sum(({ walk }) => walk.removed),
    stateEntries: sum(({ findings }) => findings.stateEntries),
    // Only a finished scan has a summary.
    stateCommitted: true,
    candidatesNotStored:
      sum(({ findings }) => findings.candidatesNotStored) +
      Math.max(0, candidates.length - maxCandidates),
    objectsNotCompared: sum(({ findings }) => findings.objectsNotCompared),
  }
}

interface TreeProgress {
  name: string
  start: StructuralStart | null
  walk: WalkProgress | null
  files: number
  percent: number
}

/** Reports the progress of all trees. */
class Meter {
  readonly #run: DetectionRun & { mode: ScanMode }
  readonly #context: OperationContext
  readonly #startedMs = performance.now()
  readonly #trees: TreeProgress[] = []
  readonly #count: number
  readonly #rate = new MovingRate()
  #corrupted = 0

  constructor(run: DetectionRun & { mode: ScanMode }, context: OperationContext, count: number) {
    this.#run = run
    this.#context = context
    this.#count = Math.max(1, count)
    const mode = run.mode === 'full' ? 'Full' : 'Incremental'
    context.report({ percentComplete: 0, stageKey: stage(`startingStructural${mode}`) })
  }

  /** Of a tree whose scan begins. */
  tree(name: string) {
    const tree: TreeProgress = { name, start: null, walk: null, files: 0, percent: 0 }
    this.#trees.push(tree)
    return {
      begin: (start: StructuralStart) => {
        tree.start = start
        this.#report(tree, 'enumerating', 'counting')
      },
      walked: (walk: WalkProgress) => {
        Object.assign(tree, { walk, files: walk.filesSeen })
        tree.percent = 95 * (walk.directoriesScanned / Math.max(1, walk.totalDirectories))
        this.#rate.update(this.#files)
        this.#report(tree, stageOf(tree), 'scanning')
      },
      /** All files are checked; the findings are read once more. */
      evidence: () => {
        Object.assign(tree, { walk: null, percent: 95 })
        this.#report(tree, stageOf(tree), 'scanning')
      },
      found: (count: number) => {
        this.#corrupted += count
        tree.percent = 100
        this.#report(tree, stageOf(tree), 'scanning')
      },
    }
  }

  get #files(): number {
    return sumOf(this.#trees, ({ files }) => files)
  }

  #report({ name, walk }: TreeProgress, stageName: string, pass: 'counting' | 'scanning'): void {
    const elapsedMs = performance.now() - this.#startedMs
    const walks = this.#trees.flatMap((tree) => tree.walk ?? [])
    const files = this.#files
    const totalFiles = sumOf(this.#trees, (tree) =>
      Math.max(tree.start?.filesExpected ?? 0, tree.files),
    )
    const filesPerSecond = walk === null ? null : this.#rate.perSecond()
    const predicted = walks.flatMap(({ etaSeconds }) => etaSeconds ?? [])
    const context = {
      detectionMethod: 'structural',
      datasourceName: name,
      scanMode: this.#run.mode,
      effectiveScanMode: this.#run.effectiveMode,
      baselineStatus: this.#run.baselineStatus,
      resumed: this.#run.resumed,
      pass,
      filesProcessed: files,
      filesInspected: sumOf(walks, ({ headersRead }) => headersRead),
      totalFiles,
      totalCorrupted: this.#corrupted,
      count: this.#corrupted,
      elapsedSeconds: Math.round(elapsedMs / 1000),
      workerCount: Math.max(
        1,
        sumOf(walks, ({ inFlight }) => inFlight),
      ),
      // The contract has both members; this scan has no queues.
      taskQueueCapacity: 0,
      resultQueueCapacity: 0,
      filesPerSecond: filesPerSecond === null ? null : Math.round(filesPerSecond),
      etaSeconds:
        predicted.length > 0
          ? Math.max(...predicted)
          : walk && this.#rate.secondsFor(Math.max(0, totalFiles - files)),
    }
    const percentComplete = sumOf(this.#trees, ({ percent }) => percent) / this.#count
    this.#context.report({
      percentComplete,
      stageKey: stage(stageName),
      context,
      fields: context,
    })
  }
}

const sumOf = <T>(all: readonly T[], value: (one: T) => number): number =>
  all.reduce((sum, one) => sum + value(one), 0)

function stageOf({ start }: TreeProgress): string {
  if (start?.effectiveMode === 'baseline') return 'buildingBaseline'
  if (start?.effectiveMode === 'full') return 'scanningFull'
  return start?.resumed === true ? 'resumingIncremental' : 'scanningIncremental'
}
