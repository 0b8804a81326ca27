// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import type { Clock } from '../../../storage/storage.ts'
import { Audit } from './audit.ts'
import { openAuditFile, standardOutput } from './audit-file.ts'
import { AuditInLog, AuditLines, type AuditSink } from './audit-sink.ts'

/** What `--audit` says: the path of a file, `stdout`, or nothing, which is the server's log. */
export type AuditPlace = string

/** The audit log at its place. Throws Error as `openAuditFile`. */
export function openAudit(
  place: AuditPlace,
  options: { readonly clock: Clock; readonly log: Logger },
): Audit {
  return new Audit(sinkOf(place, options), options.clock)
}

function sinkOf(place: AuditPlace, options: Parameters<typeof openAudit>[1]): AuditSink {
  if (place === '') return new AuditInLog(options.log)
  if (place === 'stdout') return new AuditLines(standardOutput(options.clock), options)
  const open = () => openAuditFile(place)
  return new AuditLines(open(), { ...options, open })
}
