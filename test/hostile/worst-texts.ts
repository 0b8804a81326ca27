// SPDX-License-Identifier: Apache-2.0

/** About so many bytes has what is sent; texts of statements may have no more. */
export const WORST_BYTES = 1024 * 1024 - 1_024
/** In a URL or a header there is room for less. */
export const WORST_URL_BYTES = 24 * 1024

const STATEMENT_NODES = 11_000

function filled(unit: string, bytes = WORST_BYTES): string {
  return unit.repeat(Math.max(1, Math.floor(bytes / unit.length)))
}

/** Repeated until the bytes, or what one statement may hold, are used up. */
function repeated(unit: string, nodes: number): string {
  return unit.repeat(Math.floor(STATEMENT_NODES / nodes))
}

/** Texts of statements that are as hard to read, or to run, as so many bytes can be. The table is `victim`. */
export function worstStatements(): ReadonlyMap<string, string> {
  const where = (condition: string) => `SCAN * FROM victim USE PRIMARY KEY WHERE ${condition}`
  const nested = `${'('.repeat(60)}n = 1${')'.repeat(60)}`
  return new Map([
    ...['blanks', 'newlines', 'marks', 'commas', 'quotes', 'double quotes'].map(
      (name, at) => [name, filled([' ', '\n', '?', ',', "'", '"'][at] ?? '')] as const,
    ),
    ['comments', filled('/**/ ')],
    ['line comments', filled('--\n')],
    ['an open comment', filled('/* *')],
    ['open parentheses', filled('(')],
    ['operators', filled('<= ')],
    ['parameters', filled(':a ')],
    ['dots', filled('a.')],
    ['digits', where(`n = ${filled('1')}`)],
    ['exponents', filled('1e')],
    ['one long string', `INSERT INTO victim (id) VALUES ('${filled('a', WORST_BYTES - 60)}')`],
    ['an open string', where(`t = '${filled('a')}`)],
    ['escaped quotes', where(`t = '${filled("''", WORST_BYTES - 100)}'`)],
    ['a long name', `SCAN * FROM ${filled('a')}`],
    ['a long column', where(`${filled('c')} = 1`)],
    ['unknown columns', where(`${repeated('c = 1 AND ', 4)}n = 1`)],
    ['repeated conditions', where(`${repeated('n = 1 AND ', 4)}n = 1`)],
    ['repeated keys', where(`${repeated("id = 'a' AND ", 4)}id = 'a'`)],
    ['alternatives', where(`${repeated('n = 1 OR ', 4)}n = 1`)],
    ['a long list', where(`n IN (${repeated('1, ', 1)}1)`)],
    ['a long list that ends wrong', where(`n IN (${repeated('1, ', 1)}1) zzz`)],
    ['many lists', where(`${repeated('n IN (1, 2, 3, 4) AND ', 7)}n = 1`)],
    ['likes', where(`${repeated("t LIKE '%a%_b%' AND ", 4)}n = 1`)],
    ['sums', where(`n = ${repeated('1 + ', 2)}1`)],
    ['parentheses', where(`${repeated(`${nested} AND `, 63)}n = 1`)],
    ['functions', where(`${repeated("length('a') = 1 AND ", 5)}n = 1`)],
    ['columns', `SCAN ${repeated('n, ', 1)}n FROM victim`],
    ['unclosed rows', `INSERT INTO victim (id) VALUES ${repeated("('a'), ", 1)}(`],
    ['rows', `INSERT INTO victim (id, n) VALUES ${repeated("('a', 1), ", 3)}('a', 1)`],
    ['statements', filled('SHOW TABLES;')],
    ['a foreign statement', `SELECT ${repeated('a, ', 1)}a FROM victim`],
  ])
}

/** Values of a parameter in a URL, before they are encoded. */
export function worstValues(): ReadonlyMap<string, string> {
  const short = (unit: string) => filled(unit, WORST_URL_BYTES / 3)
  return new Map([
    ['blanks', `a${short(' ')}b`],
    ['letters', short('a')],
    ['digits', short('1')],
    ['commas', short(',')],
    ['quotes', short("'")],
    ['parentheses', short('(')],
    ['conditions', short('n = 1 AND ')],
    ['brackets', short('[')],
    ['JSON', `{${short('"a":0,')}"b":0}`],
    ['tildes', short('~')],
  ])
}
