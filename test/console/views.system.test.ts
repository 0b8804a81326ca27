// SPDX-License-Identifier: Apache-2.0
import { before, describe, it } from 'node:test'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { ConsoleScene, endOfGroup } from './console-scene.ts'
import { DATA_SETS } from './data-sets.ts'
import { walkViews } from './view-walk.ts'

const PHONE = { width: 360, height: 720 }
const LOOKS = {
  'in a wide window, light': { colorScheme: 'light' },
  'in a wide window, dark': { colorScheme: 'dark' },
  'on a phone, light': { colorScheme: 'light', viewport: PHONE },
  'on a phone, dark': { colorScheme: 'dark', viewport: PHONE },
} as const

for (const data of DATA_SETS) {
  describe(`each view of ${data.name}, in Chromium`, { skip: chromiumSkipReason() }, () => {
    const end = endOfGroup()
    let scene: ConsoleScene
    before(async () => {
      scene = await ConsoleScene.of(end, await data.start(end))
    })

    for (const how of data.looks) {
      it(`${how}: has what the API says, has no error, asks nobody else, and can be used by all`, async () => {
        const look = await scene.look('', LOOKS[how])
        await walkViews(look, scene.server, data)
        await look.page.context().close()
      })
    }
  })
}
