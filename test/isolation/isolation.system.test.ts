// SPDX-License-Identifier: Apache-2.0
import { describeIsolation } from './defined-scenarios.ts'
import { SYSTEM_TOPOLOGIES } from './topologies.ts'

describeIsolation(SYSTEM_TOPOLOGIES)
