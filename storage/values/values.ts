// SPDX-License-Identifier: Apache-2.0

/** The door of values: SQL types, their values, and JSON. */

export { DAY_MICROS, dateOfTimestamp, nowOf } from './days.ts'
export {
  canonicalDecimal,
  compareDecimals,
  DECIMAL_DIGITS_MAX,
  Decimal,
  type DecimalSize,
  decimalFromText,
  isDecimalInRange,
  powerOfTen,
  sizedDecimal,
  typeText,
  unitsAt,
} from './decimal.ts'
export { canonicalJson } from './json/canonical-json.ts'
export { jsonMembers } from './json/json-members.ts'
export {
  canonicalNumber,
  hasLongExponent,
  isDoubleExact,
  JSON_EXPONENT_DIGITS_MAX,
} from './json/json-number.ts'
export {
  countAt,
  type JsonSpan,
  type JsonStep,
  kindAt,
  type Meter,
  memberAt,
  nestingAt,
  pathText,
  plainText,
  spanAt,
  stepsOf,
  textAt,
  UNPAID,
  WALK_UNITS,
  walkPaid,
  wholeSpan,
} from './json/json-path.ts'
export {
  endOfJsonString,
  type JsonVisitor,
  type JsonWalk,
  shapeOfJson,
  walkJson,
  walkJsonUntil,
} from './json/json-walk.ts'
export type { SqlType, SqlValue } from './sql-type.ts'
export {
  compareText,
  compareValues,
  isIntegerInRange,
} from './sql-value.ts'
export { endsWithWord, WORD_UNITS, wordsOf } from './words.ts'
