import type { LogEngine } from '../../engines/logs/contract.ts'
import { BackOff } from '../../core/lib/back-off.ts'
import type { Logger } from '../../core/lib/log.ts'
import type { Timers } from '../../core/lib/timers.ts'
import type { ProxyControl } from '../../engines/proxy/contract.ts'

/** First wait between two attempts, doubled every time; milliseconds. */
const firstWaitMs = 10_000
const lastWaitMs = 10 * 60_000

interface Parts {
  proxy: Pick<ProxyControl, 'reopenLogs'>
  logs: Pick<LogEngine, 'logsReopened'>
  log: Pick<Logger, 'warn'>
  timers: Timers
  /** False when signalling is disabled, so nothing is retried. */
  isEnabled: boolean
}

/**
 * Returns a function that makes the proxy reopen its logs after a file was replaced (`mark`),
 * retrying until it succeeds: the container may be paused, or its engine away, for a while. A later
 * mark replaces an earlier one.
 */
export function reopenUntilDone(parts: Parts): (mark: string) => void {
  const { proxy, logs, log, timers, isEnabled } = parts
  let newest = ''
  let cancel = () => {}

  async function reopen(mark: string, backOff: BackOff): Promise<void> {
    const { isDone } = await proxy.reopenLogs()
    if (isDone) await logs.logsReopened(mark)
    else if (isEnabled && mark === newest) {
      cancel = timers.after(backOff.next(), () => begin(mark, backOff))
    }
  }

  function begin(mark: string, backOff: BackOff): void {
    reopen(mark, backOff).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'could not report the reopened logs to the log engine')
    })
  }

  return (mark) => {
    newest = mark
    cancel()
    begin(mark, new BackOff(firstWaitMs, lastWaitMs))
  }
}
