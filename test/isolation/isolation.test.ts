// SPDX-License-Identifier: Apache-2.0
import { test } from 'node:test'
import { HERMITAGE } from './hermitage.ts'
import { PROMISES } from './promises.ts'
import { runScenario } from './run-scenario.ts'
import { dyingIn } from './scenario.ts'
import { describeOver, TOPOLOGIES } from './topologies.ts'
import { WRITE_SKEW } from './write-skew.ts'

for (const topology of TOPOLOGIES) {
  describeOver(topology, () => {
    for (const scenario of [...HERMITAGE, ...WRITE_SKEW, ...PROMISES]) {
      if (topology.death !== undefined && dyingIn(scenario) === undefined) continue
      test(`${scenario.name}: ${scenario.title}`, (t) => runScenario(t, scenario, topology))
    }
  })
}
