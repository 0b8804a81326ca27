// SPDX-License-Identifier: Apache-2.0
import { test } from 'node:test'
import { HERMITAGE } from './hermitage.ts'
import { PROMISES } from './promises.ts'
import { runScenario } from './run-scenario.ts'
import { dyingIn } from './scenario.ts'
import { defineRaces } from './snapshots.ts'
import { describeOver, type Topology } from './topologies.ts'
import { WRITE_SKEW } from './write-skew.ts'

/** Defines every scenario, and the races, over these topologies. */
export function describeIsolation(topologies: readonly Topology[]): void {
  for (const topology of topologies) describeOver(topology, defineScenarios)
}

function defineScenarios(topology: Topology): void {
  for (const scenario of [...HERMITAGE, ...WRITE_SKEW, ...PROMISES]) {
    if (topology.death !== undefined && dyingIn(scenario) === undefined) continue
    test(`${scenario.name}: ${scenario.title}`, (t) => runScenario(t, scenario, topology))
  }
  if (topology.death === undefined) defineRaces(topology)
}
