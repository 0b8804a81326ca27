// SPDX-License-Identifier: Apache-2.0
import { describeIsolation } from './defined-scenarios.ts'
import { LOCAL_TOPOLOGIES } from './topologies.ts'

describeIsolation(LOCAL_TOPOLOGIES)
