// SPDX-License-Identifier: Apache-2.0
import { AskFirst } from '../page/statements/ask-first.tsx'
import type { StatementRequest } from './observer-statements.ts'

/** A statement that is sent when it is wanted; nothing where none is requested. */
export function RequestedStatement({
  requested,
  onAnswer,
}: {
  readonly requested: StatementRequest | undefined
  readonly onAnswer: (isWanted: boolean) => void
}) {
  if (requested === undefined) return null
  return (
    <AskFirst
      label="Send this statement?"
      sent={requested.sql}
      meaning={requested.meaning}
      onAnswer={onAnswer}
    />
  )
}
