// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { type ConsoleLook, ConsoleScene, endOfGroup, until } from './console-scene.ts'

const ROWS = 3_000

/** What stands in the editor is written anew, with the cursor at its end. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

async function underlined(page: Page): Promise<string> {
  const marks = page.locator('.cm-mistake')
  await marks.first().waitFor()
  return (await marks.allTextContents()).join('')
}

describe('Query, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let scene: ConsoleScene
  let look: ConsoleLook
  let page: Page
  before(async () => {
    scene = await ConsoleScene.start(end)
    const { server } = scene
    await server.rows('CREATE TABLE account (id INTEGER PRIMARY KEY, owner TEXT, balance INTEGER)')
    await server.rows('CREATE INDEX byOwner ON account (owner)')
    await server.rows(
      "INSERT INTO account (id, owner, balance) VALUES (1, 'bob', 9007199254740993), (2, '', NULL), (3, '<b>x</b>', -1)",
    )
    await server.rows('CREATE TABLE many (id INTEGER PRIMARY KEY)')
    for (let from = 0; from < ROWS; from += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, at) => `(${from + at + 1})`)
      await server.rows(`INSERT INTO many (id) VALUES ${rows.join(', ')}`)
    }
    look = await scene.look('#/query')
    page = look.page
    await page.locator('.cm-content').waitFor()
  })
  const cells = (name: string) => page.getByRole('cell', { name, exact: true })

  it('shows integers to the digit, and tells NULL from the empty text', async () => {
    await write(page, 'SCAN * FROM account USE PRIMARY KEY')
    await page.keyboard.press('Control+Enter')
    await cells('9007199254740993').waitFor()
    assert.equal(await page.locator('td.null').count(), 1)
    assert.equal(await page.locator('td.empty').count(), 1)
    assert.equal(await page.locator('td b').count(), 0, 'a text is no markup')
    await cells('<b>x</b>').waitFor()
    await look.requireClean()
    await page.getByLabel('Shown as').selectOption('json')
    await page.getByText('"balance": 9007199254740993').waitFor()
    await look.requireClean()
    await page.getByLabel('Shown as').selectOption('grid')
  })

  it('runs the statement at the cursor, or all of them', async () => {
    await write(page, 'GET owner FROM account WHERE id = 1;\nGET id FROM account WHERE id = 3')
    await page.keyboard.press('Control+Enter')
    await cells('3').waitFor()
    assert.equal(await cells('bob').count(), 0)
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Control+Enter')
    await cells('bob').waitFor()
    await page.keyboard.press('Control+Shift+Enter')
    await page.getByRole('table', { name: 'Rows of statement 2' }).waitFor()
    assert.equal(await page.getByRole('table').count(), 2)
  })

  it('takes parameters by the names in the text, with every digit', async () => {
    await write(page, 'GET id FROM account WHERE id = :id; GET * FROM account WHERE id = -1')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Control+Enter')
    const parameters = page.getByLabel('Parameters, as JSON')
    await until(async () => (await parameters.inputValue()) !== '')
    assert.equal(await parameters.inputValue(), '{ "id": null }')
    await write(page, 'SCAN balance FROM account USE PRIMARY KEY WHERE balance = :n')
    await parameters.fill('{ "n": 9007199254740993, "other": 1 }')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('1 row', { exact: true }).waitFor()
    await parameters.fill('{ "n": 9007199254740992 }')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('0 rows', { exact: true }).waitFor()
    await parameters.fill('')
  })

  it('underlines an error at its place, and inserts what the server suggests by a click', async () => {
    await write(
      page,
      'GET id FROM account WHERE id = 1;\n\nGET id, blance FROM account\nWHERE id = 1',
    )
    await page.keyboard.press('Control+Enter')
    assert.equal(await underlined(page), 'blance')
    await page.getByText('line 3, column 9').waitFor()
    await write(page, 'SCAN id FROM account WHERE balance > 3')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('alert').getByText('unbounded_scan').waitFor()
    await page.getByRole('button', { name: 'Insert the suggested statement' }).click()
    const text = await page.locator('.cm-content').innerText()
    assert.match(text, /balance > 3;\s+CREATE INDEX accountByBalance ON account \(balance\);/)
  })

  it('reads 3,000 rows by the page, and keeps 2,000 of them', async () => {
    await write(page, 'SCAN id FROM many USE PRIMARY KEY')
    await page.keyboard.press('Control+Enter')
    await page.getByText('the first 200 rows').waitFor()
    const more = page.getByRole('button', { name: 'More rows' })
    for (let read = 400; read <= ROWS; read += 200) {
      await more.click()
      await page
        .getByText(`${read.toLocaleString('en-US')}`)
        .first()
        .waitFor()
    }
    await page.getByText('rows 1,001 to 3,000; the earlier ones are not kept').waitFor()
    assert.equal(await more.count(), 0)
    assert.equal(await page.locator('tbody tr').count(), 2_000)
    assert.equal(await cells('1000').count(), 0)
  })

  it('shows a plan as steps, and asks before it measures what writes', async () => {
    await write(page, "SCAN balance FROM account WHERE owner = 'bob' AND balance > 3")
    await page.getByRole('button', { name: 'Explain analyze' }).click()
    await page.getByText('range scan by INDEX byOwner (owner)').waitFor()
    await page.getByText('1 entry read').waitFor()
    await page.getByText('no condition bounds its first column').waitFor()
    await look.requireCleanBut(/400/)
    await write(page, 'SET balance = 1 ON account WHERE id = 1')
    await page.getByRole('button', { name: 'Explain analyze' }).click()
    await page.getByRole('alertdialog').waitFor()
    await page.getByRole('button', { name: 'Leave it' }).click()
    assert.equal(await page.getByText('1 row affected').count(), 0)
    await page.getByRole('button', { name: 'Explain analyze' }).click()
    await page.getByRole('button', { name: 'Measure it' }).click()
    await page.getByText('1 row affected').waitFor()
    const [row] = await scene.server.rows('GET balance FROM account WHERE id = 1')
    assert.equal(String(row.balance), '9007199254740993', 'nothing was kept')
  })

  it('reads the past by the slider, within what is kept', async () => {
    await scene.server.rows('SET balance = 2 ON account WHERE id = 3')
    await write(page, 'GET balance FROM account WHERE id = 3')
    await page.keyboard.press('Control+Enter')
    await cells('2').waitFor()
    await page.getByLabel('Moment', { exact: true }).fill('2000-01-01T00:00:00Z')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Now' }).click()
    await page.getByLabel('Moment within the retention').focus()
    await page.keyboard.press('ArrowLeft')
    assert.match(await page.getByLabel('Moment', { exact: true }).inputValue(), /^\d{4}-.*Z$/)
    await page.getByRole('button', { name: 'Now' }).click()
  })

  it('completes from the server, and keeps a history without secrets', async () => {
    await write(page, 'SCAN own')
    await page.keyboard.press('Control+Space')
    await write(page, 'GET bal')
    await page.keyboard.insertText(' FROM account')
    for (let at = 0; at < ' FROM account'.length; at += 1) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Control+Space')
    await page.locator('.cm-tooltip-autocomplete').getByText('balance').waitFor()
    await page.keyboard.press('Escape')
    await write(page, 'SHOW TOKENS')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('table').waitFor()
    await page.getByText('History').click()
    await page.getByRole('button', { name: 'SCAN id FROM many USE PRIMARY KEY' }).click()
    assert.equal(await page.locator('.cm-content').innerText(), 'SCAN id FROM many USE PRIMARY KEY')
    const stored = String(await page.evaluate('JSON.stringify(localStorage)'))
    assert.match(stored, /SCAN id FROM many/)
    assert.doesNotMatch(stored, /TOKENS|9007199254740993"?\]/)
  })

  it('keeps a transaction over several statements, and its text while another view is looked at', async () => {
    await write(page, 'BEGIN')
    await page.keyboard.press('Control+Enter')
    await page.getByText('A transaction is open').waitFor()
    await write(page, 'SET balance = 77 ON account WHERE id = 3')
    await page.keyboard.press('Control+Enter')
    await page.getByText('1 row affected').waitFor()
    await page.getByRole('tab', { name: 'Status' }).click()
    await page.getByRole('tab', { name: 'Query' }).click()
    await page.locator('.cm-content').getByText('77').waitFor()
    await write(page, 'ROLLBACK')
    await page.keyboard.press('Control+Enter')
    await page.getByText('A transaction is open').waitFor({ state: 'detached' })
    const [row] = await scene.server.rows('GET balance FROM account WHERE id = 3')
    assert.equal(row.balance, 2)
  })
})
