// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../parser/ast.ts'

const UNSTEADY: ReadonlySet<string> = new Set(['now', 'uuid'])

/**
 * What is wrong with a call that answers another thing each time, without a change of a row;
 * undefined for the rest.
 */
export function unsteadyCall(expression: Expression): string | undefined {
  if (expression.kind !== 'call' || !UNSTEADY.has(expression.function)) return undefined
  return `${expression.function}() has no lasting value, so no change tells when it is another.`
}
