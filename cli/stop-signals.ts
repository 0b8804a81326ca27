// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import type { Server } from '../server/server.ts'
import { EXIT } from './command.ts'

/** Ctrl-C under npm delivers SIGINT twice within this time, and the second one means nothing. */
const REPEATED_WITHIN_MS = 1_000

/**
 * SIGTERM and SIGINT stop the server in order; SIGTERM, which process managers send, after a time in which `/readyz`
 * says so. One more signal, a second later, ends that time while it lasts, and otherwise the process, at once.
 * SIGHUP, which `systemctl reload` sends, has certificates, keys and the audit log read again and never stops a server;
 * but at a terminal it says that this has closed, and stops the server as SIGINT does.
 * A server whose files were removed stops as by SIGTERM, with another exit code.
 */
export function stopOnSignals(
  server: Pick<Server, 'close' | 'endDrain' | 'reloadFiles' | 'storeLost'>,
  log: Logger,
): void {
  /** When the last step of stopping began. */
  let lastAtMs: number | undefined
  let exitCode = 0
  const stop = (reason: object, drain: boolean) => {
    lastAtMs = performance.now()
    log.info(reason, 'stopping')
    server.close({ drain }).then(
      () => {
        log.info('stopped')
        process.exit(exitCode)
      },
      (error) => {
        log.error({ err: error }, 'the server did not stop in order')
        process.exit(1)
      },
    )
  }
  const onSignal = (signal: NodeJS.Signals) => {
    if (lastAtMs === undefined) {
      stop({ signal }, signal === 'SIGTERM')
    } else if (performance.now() - lastAtMs > REPEATED_WITHIN_MS) {
      lastAtMs = performance.now()
      if (!server.endDrain()) process.exit(EXIT.interrupted)
    }
  }
  server.storeLost.then(() => {
    exitCode = EXIT.failed
    if (lastAtMs === undefined) stop({ reason: 'store_lost' }, true)
  })
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('SIGHUP', (signal) => {
    if (process.stdout.isTTY) {
      onSignal(signal)
    } else if (server.reloadFiles()) {
      log.info({ signal }, 'certificates, keys and the audit log were read again')
    } else {
      log.info({ signal }, 'nothing to read again: no certificate, no keys of JWTs, no audit log')
    }
  })
}

/** Node opens a debugger at SIGUSR1, to which everybody on this machine could connect. */
export function openNoDebugger(log: Logger): void {
  process.on('SIGUSR1', () => log.warn('SIGUSR1 means nothing to this server'))
}
