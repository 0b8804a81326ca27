// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../parser/ast.ts'
import {
  DECIMAL_DIGITS_MAX,
  type Decimal,
  decimalFromText,
  isDecimalInRange,
} from '../../storage/values/values.ts'
import { PlanError } from '../plan-error.ts'

type Where = { readonly position?: Position | undefined }

/** The number of the text; undefined where it is none. Throws PlanError out_of_range. */
export function readDecimal(text: string, where: Where): Decimal | undefined {
  const read = decimalFromText(text)
  if (read === 'tooLong') throw tooManyDigits(where)
  return read
}

/** Throws PlanError out_of_range for more digits than a value may have. */
export function checkedDecimal(value: Decimal, where: Where): Decimal {
  if (isDecimalInRange(value)) return value
  throw tooManyDigits(where)
}

function tooManyDigits({ position }: Where): PlanError {
  const message = `A DECIMAL has at most ${DECIMAL_DIGITS_MAX} digits, and this has more.`
  const hint = 'ROUND(x, 2) leaves two digits behind the point.'
  return new PlanError('out_of_range', message, { position, hint })
}
