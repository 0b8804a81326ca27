// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../../parser/parser.ts'
import type { ParseRule } from '../../../planner/planner.ts'

/** Reads the rules that GRANT has written into the catalog. The parser remembers texts that it has read before. */
export function ruleParser(parser: Pick<Parser, 'parseScript'>): ParseRule {
  return (text) => {
    const [statement] = parser.parseScript(`GRANT READ ON t TO r WHERE ${text}`)
    if (statement?.kind === 'grant' && statement.where !== undefined) return statement.where
    throw new Error(`The catalog has a rule that is none: ${text}`)
  }
}
