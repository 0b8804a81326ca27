// SPDX-License-Identifier: Apache-2.0
import { type AccessQuestion, type AccessRule, type Candidate, pathAlong } from './access-path.ts'
import { isFullKey } from './key-range.ts'

/** Every column of the primary key fixed by = or IN: the rows are got by their keys, without a scan. */
export const ruleFullPrimaryKey: AccessRule = (question) => {
  const [primary] = fullKeys(question).filter(({ key }) => key.index === undefined)
  return primary && pathAlong(primary, 'full primary key')
}

/** The same of a unique index: its entries are got by their keys. One that covers is the better one. */
export const ruleFullUniqueIndex: AccessRule = (question) => {
  const indexes = fullKeys(question).filter(({ key }) => key.index !== undefined)
  const best = indexes.find(({ covering }) => covering) ?? indexes[0]
  return best && pathAlong(best, 'full unique index')
}

function fullKeys({ candidates }: AccessQuestion): readonly Candidate[] {
  return candidates.filter(({ bounds, direction }) => direction !== undefined && isFullKey(bounds))
}
