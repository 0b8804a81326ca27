// SPDX-License-Identifier: Apache-2.0
import { describeIsolation } from './defined-scenarios.ts'
import { NETWORK_TOPOLOGIES } from './topologies.ts'

describeIsolation(NETWORK_TOPOLOGIES)
