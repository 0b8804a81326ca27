// SPDX-License-Identifier: Apache-2.0

import type {
  BeginStatement,
  ExplainedStatement,
  ExplainStatement,
  Located,
  Statement,
} from '../ast.ts'
import { syntaxError } from '../parse-error.ts'

/** A statement as it stands in the text, before EXPLAIN SCRIPT is taken for those after it. */
export type WrittenStatement = Statement | ExplainScript

/** EXPLAIN [ANALYZE] SCRIPT with the statement that it stands before. */
export type ExplainScript = Located & {
  readonly kind: 'explainScript'
  readonly analyze: boolean
  readonly first: ExplainedStatement | BeginStatement
}

/**
 * The statements that are meant: after EXPLAIN SCRIPT each of them is explained, but for BEGIN and the end of its
 * transaction. Throws `ParseError` at one that EXPLAIN does not take.
 */
export function withExplainedScript(written: readonly WrittenStatement[]): readonly Statement[] {
  const at = written.findIndex(({ kind }) => kind === 'explainScript')
  const head = written[at]
  if (head?.kind !== 'explainScript') return written as readonly Statement[]
  const { analyze, first, position } = head
  const script = [first, ...written.slice(at + 1)].map((each) => explained(each, analyze))
  if (script.some(({ kind }) => kind === 'explain')) {
    return [...(written.slice(0, at) as readonly Statement[]), ...script]
  }
  throw syntaxError('there is no statement that EXPLAIN SCRIPT could explain', position, {
    hint: `${TAKEN}.`,
  })
}

const TAKEN = 'EXPLAIN takes GET, SCAN, SET, INSERT, DELETE, CHECK and NOTIFY'

function explained(
  statement: WrittenStatement,
  analyze: boolean,
): ExplainStatement | Exclude<Statement, ExplainedStatement> {
  const { position } = statement
  switch (statement.kind) {
    case 'begin':
    case 'commit':
    case 'rollback':
      return statement
    case 'get':
    case 'scan':
    case 'set':
    case 'insert':
    case 'delete':
    case 'check':
    case 'notify':
      return { kind: 'explain', analyze, script: true, statement, position }
    default:
      throw syntaxError('EXPLAIN SCRIPT cannot explain this statement', position, {
        hint: `${TAKEN}; leave this one out.`,
      })
  }
}
