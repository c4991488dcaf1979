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
import { MovingRate } from '../../core/lib/moving-rate.ts'
import type { OperationContext, OperationResult } from '../../core/operations/contract.ts'
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
  const meter = new Meter(run, context)
  // Datasources that share a folder are scanned once.
  const roots = (await cache.roots()).filter(({ sharedWith }) => sharedWith === null)
  const results: TreeResult[] = []
  for (const [index, { datasource }] of roots.entries()) {
    meter.tree(datasource, index, roots.length)
    const result = await scanTree(deps, { datasource, run, meter, context })
    if ('kind' in result) return result
    results.push(result)
  }
  const summary = summaryOf(run, results)
  run.summary = summary
  const candidates = results.flatMap(({ findings }) => findings.candidates).slice(0, maxCandidates)
  const coverage = results.reduce(addCoverage, noCoverage())
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
  datasource: string
  run: DetectionRun & { mode: ScanMode }
  meter: Meter
  context: OperationContext
}

async function scanTree(deps: CacheParts, scan: TreeScan): Promise<TreeResult | OperationResult> {
  const { cache } = deps
  const { datasource, run, meter, context } = scan
  const { signal } = context
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
    run.baselineStatus = isComplete ? 'ready' : 'incomplete'
    await cache.corruption.endStructural(datasource, isComplete)
  }
}

const noCoverage = (): Coverage => ({
  filesSeen: 0,
  filesChecked: 0,
  consistent: 0,
  bytesRead: 0,
  sparseFiles: 0,
  skippedByReason: {},
  ioErrors: 0,
})

function addCoverage(sum: Coverage, { findings: { coverage } }: TreeResult): Coverage {
  const skippedByReason = { ...sum.skippedByReason }
  for (const [reason, count] of Object.entries(coverage.skippedByReason)) {
    skippedByReason[reason] = (skippedByReason[reason] ?? 0) + count
  }
  return {
    filesSeen: sum.filesSeen + coverage.filesSeen,
    filesChecked: sum.filesChecked + coverage.filesChecked,
    consistent: sum.consistent + coverage.consistent,
    bytesRead: sum.bytesRead + coverage.bytesRead,
    sparseFiles: sum.sparseFiles + coverage.sparseFiles,
    skippedByReason,
    ioErrors: sum.ioErrors + coverage.ioErrors,
  }
}

function summaryOf(run: DetectionRun & { mode: ScanMode }, results: TreeResult[]): ScanSummary {
  const sum = (value: (result: TreeResult) => number) =>
    results.reduce((total, result) => total + value(result), 0)
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

/** Reports the scan's progress. */
class Meter {
  readonly #run: DetectionRun & { mode: ScanMode }
  readonly #context: OperationContext
  readonly #startedMs = performance.now()
  #name = ''
  #index = 0
  #count = 1
  #start: StructuralStart | null = null
  #corrupted = 0
  readonly #rate = new MovingRate()
  #lastFiles = 0
  #treePercent = 0

  constructor(run: DetectionRun & { mode: ScanMode }, context: OperationContext) {
    this.#run = run
    this.#context = context
    const mode = run.mode === 'full' ? 'Full' : 'Incremental'
    context.report({ percentComplete: 0, stageKey: stage(`startingStructural${mode}`) })
  }

  tree(name: string, index: number, count: number): void {
    this.#name = name
    this.#index = index
    this.#count = Math.max(1, count)
    this.#treePercent = 0
  }

  begin(start: StructuralStart): void {
    this.#start = start
    this.#rate.restart()
    this.#lastFiles = 0
    this.#report('enumerating', 'counting', null)
  }

  walked(report: WalkProgress): void {
    this.#rate.update(report.filesSeen)
    this.#lastFiles = report.filesSeen
    this.#treePercent = 95 * (report.directoriesScanned / Math.max(1, report.totalDirectories))
    this.#report(this.#stage(), 'scanning', report)
  }

  /** All files are checked; the findings are read once more. */
  evidence(): void {
    this.#treePercent = 95
    this.#report(this.#stage(), 'scanning', null)
  }

  found(count: number): void {
    this.#corrupted += count
    this.#treePercent = 100
    this.#report(this.#stage(), 'scanning', null)
  }

  #stage(): string {
    if (this.#start?.effectiveMode === 'baseline') return 'buildingBaseline'
    if (this.#start?.effectiveMode === 'full') return 'scanningFull'
    return this.#start?.resumed === true ? 'resumingIncremental' : 'scanningIncremental'
  }

  #report(name: string, pass: 'counting' | 'scanning', walk: WalkProgress | null): void {
    const elapsedMs = performance.now() - this.#startedMs
    const totalFiles = Math.max(this.#start?.filesExpected ?? 0, this.#lastFiles)
    const filesPerSecond = walk === null ? null : this.#rate.perSecond()
    const left = Math.max(0, totalFiles - this.#lastFiles)
    const context = {
      detectionMethod: 'structural',
      datasourceName: this.#name,
      scanMode: this.#run.mode,
      effectiveScanMode: this.#run.effectiveMode,
      baselineStatus: this.#run.baselineStatus,
      resumed: this.#run.resumed,
      pass,
      filesProcessed: this.#lastFiles,
      filesInspected: walk?.headersRead ?? 0,
      totalFiles,
      totalCorrupted: this.#corrupted,
      count: this.#corrupted,
      elapsedSeconds: Math.round(elapsedMs / 1000),
      workerCount: walk?.inFlight ?? 1,
      // The contract has both members; this scan has no queues.
      taskQueueCapacity: 0,
      resultQueueCapacity: 0,
      filesPerSecond: filesPerSecond === null ? null : Math.round(filesPerSecond),
      etaSeconds: walk?.etaSeconds ?? (walk === null ? null : this.#rate.secondsFor(left)),
    }
    const percentComplete = (this.#index * 100 + this.#treePercent) / this.#count
    this.#context.report({ percentComplete, stageKey: stage(name), context, fields: context })
  }
}
