// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'

/** Ctrl-C under npm delivers SIGINT twice within this time, and the second one means nothing. */
const REPEATED_WITHIN_MS = 1_000
const EXIT_INTERRUPTED = 130

/** SIGTERM and SIGINT stop the server in order; one more signal, a second later, ends it at once. */
export function stopOnSignals(close: () => Promise<void>, log: Logger): void {
  let firstAtMs: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = performance.now()
    if (firstAtMs === undefined) {
      firstAtMs = nowMs
      log.info({ signal }, 'stopping')
      close().then(
        () => {
          log.info('stopped')
          process.exit(0)
        },
        (error) => {
          log.error({ err: error }, 'the server did not stop in order')
          process.exit(1)
        },
      )
    } else if (nowMs - firstAtMs > REPEATED_WITHIN_MS) {
      process.exit(EXIT_INTERRUPTED)
    }
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
