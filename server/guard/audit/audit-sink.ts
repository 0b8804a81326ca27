// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import type { Clock } from '../../../storage/storage.ts'
import { reasonOf } from '../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { type AuditEvent, auditLine, spelledEvent } from './audit-event.ts'
import type { AuditTarget } from './audit-file.ts'

/** What is written at once is not mixed with lines of others in a pipe (PIPE_BUF of Linux). */
const WRITTEN_BYTES = 4_096
/** How long a change of access waits for lines before it. */
const WRITE_MS_MAX = 2_000
/** The last part of the buffer is for changes: what clients are refused cannot fill it. */
const SHARE_OF_OTHERS = 3 / 4
const LINE_END = Buffer.from('\n')

/** Where events go. */
export interface AuditSink {
  write(event: AuditEvent): void
  /** Resolves, within two seconds, to undefined when all of it is written, and else to the reason why not. */
  problem(): Promise<string | undefined>
  /** Tries again to write what could not be written. */
  retry(): void
  /** Opens its file again, which may have been renamed; false where it has none. */
  reopen(): boolean
  close(): Promise<void>
}

/** Events as lines of the server's log. */
export class AuditInLog implements AuditSink {
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  write(event: AuditEvent): void {
    if (this.#log.isLevelEnabled('info')) {
      this.#log.info({ audit: true, ...spelledEvent(event) }, 'audit')
    }
  }

  async problem(): Promise<undefined> {}

  retry(): void {}

  reopen(): boolean {
    return false
  }

  async close(): Promise<void> {}
}

type LineDependencies = {
  readonly clock: Clock
  readonly log: Logger
  /** Opens the file again, as `openAuditFile`; without it there is none to be opened. */
  readonly open?: (() => AuditTarget) | undefined
}

/**
 * Events as lines of a file, or of another target, in their order. What is not written yet waits in memory, up to
 * `auditBytesMax`; what comes after that is lost, and one line says how much that was.
 */
export class AuditLines implements AuditSink {
  readonly #deps: LineDependencies
  #target: AuditTarget
  /** Takes the place of the target between two writes. */
  #next: AuditTarget | undefined
  #lines: Buffer[] = []
  #bytes = 0
  /** So many bytes of the first line are written. */
  #sent = 0
  #lost = 0
  #failure: string | undefined
  #writing: Promise<void> | undefined

  constructor(target: AuditTarget, deps: LineDependencies) {
    this.#target = target
    this.#deps = deps
    if (target.isTorn) this.#append(LINE_END)
  }

  write(event: AuditEvent): void {
    const isChange = event.event.endsWith('_changed')
    const { auditBytesMax } = SERVER_LIMITS
    const bytesMax = isChange ? auditBytesMax : auditBytesMax * SHARE_OF_OTHERS
    const line = this.#lineOf(event)
    if (this.#bytes + line.length > bytesMax) this.#lost += 1
    else this.#append(line)
    // One that fails is tried again once a second, and not for each event.
    if (this.#failure === undefined) this.retry()
  }

  async problem(): Promise<string | undefined> {
    const waited = new AbortController()
    const late = this.#deps.clock.sleep(WRITE_MS_MAX, waited.signal).then(
      () => 'it takes no lines',
      () => undefined,
    )
    const problem = await Promise.race([this.#write().then(() => this.#failure), late])
    waited.abort()
    return problem
  }

  retry(): void {
    void this.#write()
  }

  reopen(): boolean {
    const { open, log } = this.#deps
    if (open === undefined) return false
    try {
      const opened = open()
      void this.#next?.close()
      this.#next = opened
      // The second time because the first may be at its end.
      void this.#write().then(() => this.#write())
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'the audit log was not opened again, and goes on')
    }
    return true
  }

  async close(): Promise<void> {
    const reason = await this.problem()
    if (reason !== undefined) {
      this.#deps.log.error({ reason, bytes: this.#bytes }, 'lines of the audit log are lost')
    }
    // One that takes nothing would not be closed before it does.
    if (this.#writing === undefined) await this.#target.close()
  }

  #lineOf(event: AuditEvent): Buffer {
    return auditLine(event, this.#deps.clock.wallMicros())
  }

  #append(line: Buffer): void {
    this.#lines.push(line)
    this.#bytes += line.length
  }

  /** Never rejects; resolves when all is written, or has failed. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    try {
      await this.#exchange()
      while (this.#hasMore()) {
        const written = await this.#target.write(this.#piece())
        if (written === 0) throw new Error('nothing was written')
        this.#wrote(written)
        await this.#exchange()
      }
      if (this.#failure !== undefined) this.#deps.log.info('the audit log is written again')
      this.#failure = undefined
    } catch (error) {
      const reason = reasonOf(error)
      if (this.#failure === undefined) {
        this.#deps.log.error(
          { reason },
          'the audit log fails: access is not changed until it goes on',
        )
      }
      this.#failure = reason
    }
  }

  async #exchange(): Promise<void> {
    const next = this.#next
    if (next === undefined) return
    const before = this.#target
    this.#next = undefined
    this.#target = next
    // A line that was cut off is written whole.
    this.#sent = 0
    if (next.isTorn) {
      this.#lines.unshift(LINE_END)
      this.#bytes += LINE_END.length
    }
    await before.close()
  }

  #hasMore(): boolean {
    if (this.#lines.length === 0 && this.#lost > 0) {
      this.#append(this.#lineOf({ event: 'events_lost', count: this.#lost }))
      this.#lost = 0
    }
    return this.#lines.length > 0
  }

  /** The first line or its rest, and as many whole ones after it as are written at once. */
  #piece(): Buffer {
    let bytes = (this.#lines[0] as Buffer).length
    let count = 1
    for (let next = this.#lines[1]; next !== undefined; next = this.#lines[count]) {
      if (bytes + next.length > WRITTEN_BYTES) break
      bytes += next.length
      count += 1
    }
    return Buffer.concat(this.#lines.slice(0, count)).subarray(this.#sent)
  }

  #wrote(bytes: number): void {
    this.#sent += bytes
    let count = 0
    for (const { length } of this.#lines) {
      if (length > this.#sent) break
      this.#sent -= length
      this.#bytes -= length
      count += 1
    }
    this.#lines.splice(0, count)
  }
}
