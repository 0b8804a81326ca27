// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { parse } from 'yaml'

type Rules = {
  readonly groups: ReadonlyArray<{
    readonly rules: ReadonlyArray<{ readonly alert: string; readonly expr: string }>
  }>
}

function readText(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

/** What the first cells of the page's tables have in backticks. */
function tableNames(path: string): string[] {
  return [...readText(path).matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
}

describe('the rules of alerts in deploy/', () => {
  const { groups } = parse(readText('deploy/percolite.rules.yml')) as Rules
  const rules = groups.flatMap(({ rules: some }) => some)
  const metrics = new Set(tableNames('docs/metrics.md'))

  test('ask for metrics that docs/metrics.md has', () => {
    assert.ok(rules.length > 10 && metrics.size > 50)
    for (const { alert, expr } of rules) {
      const asked = expr.match(/\b(?:percolite|nodejs|process)_\w+/g) ?? []
      // Prometheus itself writes `up`, for each server that it asks.
      assert.ok(asked.length > 0 || expr.startsWith('up{'), `${alert} asks for something`)
      for (const name of asked) {
        assert.ok(metrics.has(name.replace(/_bucket$/, '')), `${alert}: there is no ${name}`)
      }
    }
  })

  test('are explained in docs/operations.md, each of them and no others', () => {
    const explained = tableNames('docs/operations.md').filter((name) => /^Percolite/.test(name))
    assert.deepEqual(
      explained,
      rules.map(({ alert }) => alert),
    )
  })
})
