// SPDX-License-Identifier: Apache-2.0
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { Closing } from '../isolation/closing.ts'
import { BOUNDS } from './bounds.ts'
import { CountedServer } from './counted-server.ts'
import { type JourneyName, prepareJourneys } from './journeys.ts'

const HELP = `npm run test:journey -- [--list NAME]

Counts the files, functions and calls of this project that one warm request runs through on the main thread of a real
server, next to their bounds (test/journey/bounds.ts), which npm test keeps.

  --list   each function of this journey, with how often it is called`

const { values } = scriptFlags(HELP, { list: { type: 'string' } })
const names = Object.keys(BOUNDS) as JourneyName[]
const chosen = values.list === undefined ? names : names.filter((name) => name === values.list)
if (chosen.length === 0) {
  endMisused(HELP, `There is no --list ${values.list}; there are ${names.join(', ')}.`)
}
const closing = new Closing()
const server = await CountedServer.start(closing)
const journeys = await prepareJourneys(server.url)
for (const name of chosen) {
  const { files, functions, calls, counts } = await server.journeyOf(journeys[name])
  const [functionsMax, callsMax] = BOUNDS[name]
  console.log(
    `${name.padEnd(12)} ${files} files  ${functions} functions (${functionsMax})  ${calls} calls (${callsMax})`,
  )
  if (values.list === undefined) continue
  for (const [where, count] of [...counts].toSorted()) console.log(`${count}\t${where}`)
}
await closing.close()
