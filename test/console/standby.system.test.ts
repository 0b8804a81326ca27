// SPDX-License-Identifier: Apache-2.0
import { describe, it } from 'node:test'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { until } from '../standby/query-client.ts'
import { StandbyPair } from '../standby/standby-pair.ts'
import { type Cleaning, ConsoleScene } from './console-scene.ts'

/** Before there is a token. */
const UNASKED = /401/

/** Status of a server of the pair, as its administrator sees it. */
async function statusOf(cleaning: Cleaning, pair: StandbyPair, url: string) {
  const scene = await ConsoleScene.of(cleaning, { listen: async () => ({ url }) })
  const look = await scene.look('#/status')
  const { page } = look
  await page.getByLabel('Token').fill(pair.adminToken)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Store' }).waitFor()
  const fact = (name: string) =>
    page.locator('.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd')
  const shows = (name: string, text: string) =>
    fact(name).getByText(text, { exact: true }).waitFor()
  return { look, page, shows }
}

describe('Status of a pair, in Chromium', { skip: chromiumSkipReason() }, () => {
  it('says how far behind a standby is, and of its primary whether writes have a second copy', async (t) => {
    const pair = await StandbyPair.open(t)
    await pair.stopPrimary()
    await pair.startPrimary({ 'second-copy': 'preferred' })
    await pair.startStandby()
    await pair.at.rows("INSERT INTO note (id, text) VALUES (1, 'in both')")
    const primary = await statusOf(t, pair, pair.primaryUrl)
    await primary.shows('role', 'primary')
    await primary.shows('standby', 'has all')
    await primary.shows('second copy', 'preferred')
    const standby = await statusOf(t, pair, pair.atStandby.url)
    await standby.shows('role', 'standby, takes no writes')
    await standby.shows('primary', pair.primaryUrl)
    await standby.shows('connection', 'following')
    await standby.shows('behind', 'no')
    await standby.look.requireCleanBut(UNASKED)

    await pair.stopStandby()
    // Its last request may have been answered: then it counts as there for five seconds.
    await until(async () => {
      const { body } = await pair.at.send('/readyz')
      return body.warnings[0]?.code === 'no_second_copy'
    }, 'the warning of a missing second copy')
    await primary.shows('standby', 'not connected')
    // It is answered after five seconds without.
    await pair.at.rows("INSERT INTO note (id, text) VALUES (2, 'in one')")
    await primary.shows('second copy', 'preferred, writes go on without')
    await primary.page.getByRole('alert').getByText('no_second_copy').waitFor()
    await primary.look.requireCleanBut(UNASKED)

    await pair.startStandby()
    await pair.caughtUp()
    await until(
      async () => (await pair.at.send('/readyz')).body.warnings.length === 0,
      'no warning',
    )
    await primary.shows('second copy', 'preferred')
    const late = await statusOf(t, pair, pair.atStandby.url)
    await pair.stopPrimary()
    await late.shows('connection', 'lost')
  })
})
