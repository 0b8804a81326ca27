// SPDX-License-Identifier: Apache-2.0
import { mutantNamed, plantMutant } from './mutants/plant-mutant.ts'
import { PLANTED } from './mutants/planted.ts'

/** Loaded before the first module of a thread, so before what the mutant changes. */
const mutant = process.env[PLANTED]
if (mutant !== undefined) plantMutant(mutantNamed(mutant))
