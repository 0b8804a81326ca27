// SPDX-License-Identifier: Apache-2.0
import { joined, same, type TwoTexts } from './joined-texts.ts'
import type { Chooser, ComparedType, RandomColumn } from './random-table.ts'

// CASE, casts, functions and JSON. Where SQLite has no function of the name, or means another thing by it, its text
// says the same in another way.

type Place = {
  readonly choose: Chooser
  readonly columns: readonly RandomColumn[]
  readonly type: ComparedType
  /** An expression of this type, or of another one. */
  readonly inner: (type?: ComparedType) => TwoTexts
}

/** An expression of that type, one level deeper than its parts. */
export function moreExpression(place: Place): TwoTexts {
  const { choose, type, inner } = place
  switch (choose.below(type === 'BYTES' ? 4 : 8)) {
    case 0:
      return joined`CASE WHEN ${test(place)} THEN ${inner()} ELSE ${inner()} END`
    case 1:
      return joined`CASE WHEN ${test(place)} THEN ${inner()} WHEN ${test(place)} THEN ${inner()} END`
    case 2:
      return joined`nullif(${inner()}, ${inner()})`
    case 3: {
      const of = choose.oneOf(['INTEGER', 'TEXT'] as const)
      return joined`CASE ${inner(of)} WHEN ${inner(of)} THEN ${inner()} WHEN ${inner(of)} THEN ${inner()} ELSE ${inner()} END`
    }
    default:
      return choose.oneOf(OF_TYPE[type])(place)
  }
}

function test({ choose, columns, inner }: Place): TwoTexts {
  const type = choose.oneOf(['INTEGER', 'TEXT', 'REAL'] as const)
  switch (choose.below(4)) {
    case 0:
      return joined`${same(choose.oneOf(columns).name)} IS NULL`
    case 1:
      return joined`${inner(type)} < ${inner(type)} OR ${inner('BOOLEAN')}`
    default:
      return joined`${inner(type)} ${same(choose.oneOf(['=', '<>', '<', '>=']))} ${inner(type)}`
  }
}

const OF_TYPE: Readonly<Record<ComparedType, ReadonlyArray<(place: Place) => TwoTexts>>> = {
  TEXT: [
    ({ choose, inner }) => joined`${same(choose.oneOf(['trim', 'ltrim', 'rtrim']))}(${inner()})`,
    ({ choose, inner }) =>
      joined`${same(choose.oneOf(['trim', 'ltrim', 'rtrim']))}(${inner()}, ${inner()})`,
    ({ inner }) => {
      const [text, from, to] = [inner(), inner(), inner()]
      return {
        ours: `replace(${text.ours}, ${from.ours}, ${to.ours})`,
        // With nothing to look for, SQLite does not look at what would replace it, which may be NULL.
        theirs: `iif((${to.theirs}) IS NULL, NULL, replace(${text.theirs}, ${from.theirs}, ${to.theirs}))`,
      }
    },
    ({ choose, inner }) =>
      joined`substr(${inner()}, ${same(`${1 + choose.below(3)}`)}, ${same(`${choose.below(3)}`)})`,
    ({ choose, inner }) => joined`substr(${inner()}, ${same(`${1 + choose.below(3)}`)})`,
    ({ inner }) => joined`concat(${inner()}, ${inner('INTEGER')}, ${inner()})`,
    ({ inner }) => joined`CAST(${inner('INTEGER')} AS TEXT)`,
    ({ inner }) => {
      const [a, b] = [inner(), inner('INTEGER')]
      return {
        ours: `(json_set(json_set('{"a":[1]}', '{b}', ${a.ours}::TEXT), '{a,1}', ${b.ours}) ->> 'b')`,
        theirs: `(json_set(json_set('{"a":[1]}', '$.b', ${a.theirs}), '$.a[1]', ${b.theirs}) ->> '$.b')`,
      }
    },
    ({ inner }) => {
      const a = inner('INTEGER')
      return {
        ours: `(json_set('{"a":{"b":7}}', '{a,b}', ${a.ours}) #>> '{a,b}')`,
        theirs: `CAST(json_set('{"a":{"b":7}}', '$.a.b', ${a.theirs}) ->> '$.a.b' AS TEXT)`,
      }
    },
  ],
  INTEGER: [
    ({ inner }) => {
      const { ours, theirs } = inner('REAL')
      return { ours: `(${ours})::INTEGER`, theirs: `CAST(round(${theirs}) AS INTEGER)` }
    },
    ({ inner }) => joined`CAST(CAST(${inner()} AS TEXT) AS INTEGER)`,
    ({ inner }) => {
      const [part, text] = [inner('TEXT'), inner('TEXT')]
      return {
        ours: `position(${part.ours}, ${text.ours})`,
        theirs: `instr(${text.theirs}, ${part.theirs})`,
      }
    },
    ({ inner }) => joined`sign(${inner()})`,
    ({ inner }) => {
      const { ours, theirs } = inner('BOOLEAN')
      return { ours: `(${ours})::INTEGER`, theirs: `(${theirs})` }
    },
    (place) => {
      const [unit, format] = place.choose.oneOf(UNITS)
      const { ours, theirs } = moment(place)
      const part = `strftime('${format}', (${theirs}) / 1000000, 'unixepoch')`
      return { ours: `extract('${unit}', ${ours})`, theirs: `CAST(${part} AS INTEGER)` }
    },
    (place) => {
      const { ours, theirs } = moment(place)
      return { ours: `(${ours}::INTEGER % 1000000)`, theirs: `(${theirs} % 1000000)` }
    },
    ({ inner }) => {
      const { ours, theirs } = inner()
      return {
        ours: `json_length(json_set('[1,2]', '{2}', ${ours}))`,
        theirs: `json_array_length(json_set('[1,2]', '$[2]', ${theirs}))`,
      }
    },
    ({ inner }) => {
      const { ours, theirs } = inner()
      return {
        ours: `(json_remove(json_set('{"x":1,"y":2}', '{y}', ${ours}), '{x}') -> 'y')::INTEGER`,
        theirs: `(json_remove(json_set('{"x":1,"y":2}', '$.y', ${theirs}), '$.x') ->> '$.y')`,
      }
    },
  ],
  DECIMAL: [
    ({ choose, inner }) => joined`(${inner()} ${same(choose.oneOf(['+', '-']))} ${inner()})`,
    ({ inner }) => {
      const { ours, theirs } = inner()
      return { ours: `(${ours} + 0.75)`, theirs: `(${theirs} + 75)` }
    },
    ({ inner }) => {
      const [a, b] = [inner(), inner('INTEGER')]
      return { ours: `(${a.ours} - ${b.ours})`, theirs: `(${a.theirs} - 100 * ${b.theirs})` }
    },
    ({ choose, inner }) => joined`(${same(`${choose.below(5) - 2}`)} * ${inner()})`,
    ({ inner }) => joined`abs(${inner()})`,
    ({ inner }) => joined`-(${inner()})`,
    ({ choose, inner }) => {
      const { ours, theirs } = inner()
      return choose.oneOf([
        {
          ours: `(round(${ours}, 1) + 0.00)`,
          theirs: `(10 * CAST(round((${theirs}) / 10.0) AS INTEGER))`,
        },
        { ours: `(trunc(${ours}) + 0.00)`, theirs: `(100 * ((${theirs}) / 100))` },
        { ours: `(${ours} % 2)`, theirs: `((${theirs}) % 200)` },
        { ours: `mod(${ours}, 0.75)`, theirs: `((${theirs}) % 75)` },
        { ours: `(${ours})::TEXT::DECIMAL(12, 2)`, theirs: `(${theirs})` },
        { ours: `(to_json(${ours}))::DECIMAL(12, 2)`, theirs: `(${theirs})` },
      ])
    },
  ],
  REAL: [
    ({ choose, inner }) => joined`${same(choose.oneOf(['floor', 'ceil']))}(${inner()})`,
    ({ inner }) => joined`CAST(${inner('INTEGER')} AS REAL)`,
    ({ inner }) => {
      const { ours, theirs } = inner()
      return { ours: `sign(${ours})`, theirs: `CAST(sign(${theirs}) AS REAL)` }
    },
    ({ inner }) => {
      const { ours, theirs } = inner()
      return { ours: `(${ours})::TEXT::REAL`, theirs: `(${theirs})` }
    },
  ],
  BOOLEAN: [
    ({ inner }) => {
      const { ours, theirs } = inner('INTEGER')
      return { ours: `(${ours})::BOOLEAN`, theirs: `((${theirs}) <> 0)` }
    },
    ({ inner }) => {
      const { ours, theirs } = inner('INTEGER')
      return {
        ours: `(json_set('{"a":{"b":1}}', '{a,b}', ${ours}) @> '{"a":{"b":2.0}}')`,
        theirs: `((${theirs}) IS 2)`,
      }
    },
  ],
  BYTES: [
    ({ choose, inner }) =>
      joined`substr(${inner()}, ${same(`${1 + choose.below(2)}`)}, ${same(`${choose.below(3)}`)})`,
  ],
  DATE: [
    (place) => joined`(${day(place)} + ${same(`${place.choose.below(9) - 4}`)})`,
    (place) => {
      const { ours, theirs } = day(place)
      return { ours: `(${ours} - INTERVAL '2 weeks 1 day')`, theirs: `(${theirs} - 15)` }
    },
    (place) => {
      const { ours, theirs } = day(place)
      return { ours: `(${ours})::TIMESTAMP::DATE`, theirs: `(${theirs})` }
    },
    (place) => {
      const { ours, theirs } = day(place)
      const months = place.choose.below(30) - 15
      const other = `strftime('%s', (${theirs}) * 86400, 'unixepoch', '${months} months')`
      return { ours: `add_months(${ours}, ${months})`, theirs: `(${other} / 86400)` }
    },
    (place) => {
      const { ours, theirs } = moment(place)
      return { ours: `(${ours})::DATE`, theirs: `((${theirs}) / 86400000000)` }
    },
  ],
  TIMESTAMP: [
    (place) => {
      const { ours, theirs } = moment(place)
      const [unit, micros] = place.choose.oneOf(LENGTHS)
      return {
        ours: `date_trunc('${unit}', ${ours})`,
        theirs: `(${theirs} - ${theirs} % ${micros})`,
      }
    },
    (place) => {
      const { ours, theirs } = moment(place)
      const [unit, micros] = place.choose.oneOf(LENGTHS)
      return { ours: `(${ours} + INTERVAL '2 ${unit}s')`, theirs: `(${theirs} + 2 * ${micros})` }
    },
    (place) => {
      const { ours, theirs } = moment(place)
      const unit = place.choose.oneOf(['month', 'year'])
      const start = `strftime('%s', ${theirs} / 1000000, 'unixepoch', 'start of ${unit}')`
      return { ours: `date_trunc('${unit}', ${ours})`, theirs: `(${start} * 1000000)` }
    },
    (place) => {
      const { ours, theirs } = moment(place)
      const months = place.choose.below(30) - 15
      const other = `strftime('%s', ${theirs} / 1000000, 'unixepoch', '${months} months')`
      return {
        ours: `add_months(${ours}, ${months})`,
        theirs: `(${other} * 1000000 + ${theirs} % 1000000)`,
      }
    },
  ],
}

const UNITS = [
  ...([
    ['year', '%Y'],
    ['month', '%m'],
    ['day', '%d'],
    ['hour', '%H'],
  ] as const),
  ...([
    ['minute', '%M'],
    ['second', '%S'],
    ['dow', '%w'],
    ['doy', '%j'],
  ] as const),
]
const LENGTHS = [
  ...([
    ['second', 1_000_000],
    ['minute', 60_000_000],
    ['hour', 3_600_000_000],
  ] as const),
]

/** A column, or a day that needs none beside it. */
function day({ choose, columns }: Place): TwoTexts {
  const days = columns.filter(({ type }) => type === 'DATE')
  if (days.length > 0 && choose.percent(80)) return same(choose.oneOf(days).name)
  return { ours: "'2026-03-28'::DATE", theirs: '20540' }
}

/** A column, or a moment that needs none beside it. */
function moment({ choose, columns }: Place): TwoTexts {
  const times = columns.filter(({ type }) => type === 'TIMESTAMP')
  if (times.length > 0 && choose.percent(80)) return same(choose.oneOf(times).name)
  return { ours: "'2026-03-28T12:34:56.789012Z'::TIMESTAMP", theirs: '1774701296789012' }
}
