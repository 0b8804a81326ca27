// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { TokenServer } from '../server/token-server.ts'
import { ConsoleScene, until } from './console-scene.ts'

describe('saved statements, in Chromium', { skip: chromiumSkipReason() }, () => {
  it('stay in the browser by their names, for any role, and go out as text', async (t) => {
    const tokens = await TokenServer.start(t)
    await tokens.query('CREATE ROLE reader')
    const scene = await ConsoleScene.of(t, tokens.server)
    const look = await scene.look('#/query', { viewport: { width: 360, height: 720 } })
    const { page } = look
    const token = await tokens.made('CREATE TOKEN someone ROLE reader EXPIRES IN 1 DAY')
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    const editor = page.locator('.cm-content')
    await editor.click()
    await page.keyboard.insertText('SHOW TABLES')
    const summary = page.locator('summary', { hasText: 'Saved statements' })
    await summary.press('Enter')
    const name = page.getByLabel('A name for the text of the editor')
    await name.fill('the tables')
    await name.press('Enter')
    await page.getByText('Saved as the tables.').waitFor()
    await look.requireCleanBut(/401/)
    await editor.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(`-- ${token}`)
    await name.fill('a secret')
    await name.press('Enter')
    await page.getByRole('alert').getByText('There is a token in the text').waitFor()
    await page.reload()
    await editor.waitFor()
    await summary.press('Enter')
    await page.getByRole('button', { name: 'the tables', exact: true }).press('Enter')
    await until(async () => (await editor.innerText()) === 'SHOW TABLES')
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const text = readFileSync(await (await waiting).path(), 'utf8')
    assert.equal(text, '-- the tables\nSHOW TABLES;\n')
    assert.doesNotMatch(String(await page.evaluate('JSON.stringify(localStorage)')), /pct_/)
    await page.getByRole('button', { name: 'Remove the tables' }).click()
    await page.getByRole('button', { name: 'Export' }).waitFor({ state: 'detached' })
    await page.context().close()
  })
})
