// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from './mutant.ts'

const BLOCKS = 'storage/tables/identity/identity-blocks.ts'
const TAKES = '      return await takeBlock(transaction, table, block.series, wanted)\n'

const GATEWAYS = { workload: 'identities', topology: 'gateways' } as const

/** The numbers of identity columns (T5). */
export const IDENTITY_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'blockOfAnUncertainCommit',
    what: 'a block is handed out though nobody knows whether its transaction has committed',
    file: BLOCKS,
    find: '  await transaction.commit()\n',
    replace: `  await transaction.commit().catch((error) => {
    if (error.code !== 'commit_outcome_unknown') throw error
  })
`,
    caughtBy: { seedsMax: 2000, ...GATEWAYS, bias: 'losing' },
  }),
  mutant({
    name: 'blockBeforeItsCommit',
    what: 'a block is handed out though its transaction has failed',
    file: BLOCKS,
    find: '  await transaction.commit()\n',
    replace: '  await transaction.commit().catch(() => {})\n',
    caughtBy: { seedsMax: 20, ...GATEWAYS },
  }),
  mutant({
    name: 'counterOfAnOlderSnapshot',
    what: 'the counter is moved by another, younger transaction than the one that read it',
    file: BLOCKS,
    find: TAKES,
    replace: `      await readIdentity(transaction, table)
      const younger = await this.#deps.begin()
      const apart = new Proxy(younger, {
        get: (on, name) => {
          const from = name === 'getRow' ? transaction : on
          return typeof from[name] === 'function' ? from[name].bind(from) : from[name]
        },
      })
${TAKES.replace('transaction,', 'apart,')}`,
    caughtBy: { seedsMax: 60, ...GATEWAYS },
  }),
  mutant({
    name: 'blockOutlivesARestart',
    what: 'what is left of a block is handed out after the numbers were restarted',
    file: BLOCKS,
    find: 'if (known?.series === series) return known',
    replace: 'if (known !== undefined) return known',
    caughtBy: { seedsMax: 20, ...GATEWAYS },
  }),
  mutant({
    name: 'restartFencesNobody',
    what: 'who began before a RESTART commits numbers of the series before',
    file: 'storage/tables/catalog/identity-changes.ts',
    find: 'changeTable(transaction, { ...table, columns })',
    replace: 'changeTable(transaction, { ...table, columns }, { isFenced: false })',
    caughtBy: { seedsMax: 60, ...GATEWAYS },
  }),
]
