// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from './mutant.ts'

const ROW_CHANGES = 'storage/tables/rows/row-changes.ts'
const MAINTENANCE = 'storage/tables/rows/index-maintenance.ts'
const BACKFILL = 'storage/tables/index-build/index-backfill.ts'
const BUILDER = 'storage/tables/index-build/index-builder.ts'
const CHANGES = 'storage/tables/catalog/index-changes.ts'

/** Several builders at once, or one whose process dies and is started again. */
const GATEWAYS = { workload: 'indexes', topology: 'gateways' } as const
const EMBEDDED = { workload: 'indexes', topology: 'embedded' } as const

/** The entries that go and come with a row. */
const OF_WRITERS: readonly Mutant[] = [
  mutant({
    name: 'entryLeftOnUpdate',
    what: 'an update that moves an entry leaves the old one',
    file: MAINTENANCE,
    find: 'edits.push({ index, inPlace: false, deleted })',
    replace: '{ if (after.length === 0) edits.push({ index, inPlace: false, deleted }) }',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'entryLeftOnDelete',
    what: 'a row is deleted without its entries',
    file: MAINTENANCE,
    find: 'edits.push({ index, inPlace: false, deleted })',
    replace: '{ if (after.length > 0) edits.push({ index, inPlace: false, deleted }) }',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'entryNotPut',
    what: 'a new row whose value is NULL gets no entry',
    file: ROW_CHANGES,
    find: '  if (put !== undefined) transaction',
    replace: '  if (put !== undefined && (put.isUnique || deleted !== undefined)) transaction',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'storedValueNotKept',
    what: 'an entry is left as it is when nothing changes but what it stores',
    file: MAINTENANCE,
    find: '!isSame(deleted.value, put.value)',
    replace: 'false',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'otherFamilyNotRead',
    what: 'a SET does not read the columns of its indexes that stand in another family',
    file: ROW_CHANGES,
    find: '    ...indexesWritten(table, assigned).map((index) => indexColumns(table, index)),\n  )\n}\n\n/** The positions that a DELETE',
    replace: '  )\n}\n\n/** The positions that a DELETE',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'entryOfAnOtherTransaction',
    what: 'the entries of a row are guarded instead of deleted, for a later transaction to take away',
    file: ROW_CHANGES,
    find: 'transaction.delete(deleted.key, ROW_COLUMN)',
    replace: 'transaction.guard(deleted.key, ROW_COLUMN)',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'uniqueNotLookedUp',
    what: 'nobody looks whether a unique value has an owner',
    file: MAINTENANCE,
    find: 'if (owner == null || belongsTo(put, owner)) continue',
    replace: 'if (owner !== undefined) continue',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'statementForgetsItsClaims',
    what: 'two rows of one statement may claim one value',
    file: MAINTENANCE,
    find: 'for (const { put } of settled) if (put?.isUnique) owners.set(put.key, put.value)',
    replace: '',
    caughtBy: { seedsMax: 120, ...EMBEDDED },
  }),
  mutant({
    name: 'pathNotOfItsColumn',
    what: 'a SET of a column of JSON leaves the entries of the paths into it',
    file: MAINTENANCE,
    find: 'const ids = [...index.parts.map(({ columnId }) => columnId), ...index.storing]',
    replace:
      'const ids = [...index.parts.flatMap((part) => (part.path ? [] : part.columnId)), ...index.storing]',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'uniqueKeysDiffer',
    what: 'the entries of one unique value have different keys, so their writers do not meet',
    file: 'storage/tables/bytes/index-key.ts',
    find: 'const isUnique = index.unique',
    replace: 'const isUnique = index.id < 0 && index.unique',
    times: 2,
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
]

/** The parts of the argument of `docs/why/definitions.md`, taken away one by one. */
const OF_BUILDING: readonly Mutant[] = [
  mutant({
    name: 'onlySeenEntryDeleted',
    what: 'a writer deletes the old entry only when it sees it',
    file: MAINTENANCE,
    find: '  if (owner == null || belongsTo(deleted, owner)) return edit\n',
    replace:
      '  if (owner == null) return { index, inPlace: false, ...(put && { put }) }\n  if (belongsTo(deleted, owner)) return edit\n',
    caughtBy: { seedsMax: 200, ...GATEWAYS },
  }),
  mutant({
    name: 'foreignEntryDeleted',
    what: 'a writer deletes the entry of another row, which has the same value while the index is built',
    file: MAINTENANCE,
    find: "if (index.state === 'ready' || deleted === undefined || !deleted.isUnique) return edit",
    replace: 'return edit',
    caughtBy: { script: 'valueSharedWhileItsIndexIsBuilt' },
  }),
  mutant({
    name: 'foreignEntryNotGuarded',
    what: 'a writer whose row leaves a value leaves the entry of the other row unguarded',
    file: ROW_CHANGES,
    find: '  if (guarded !== undefined) transaction.guard(guarded, ROW_COLUMN)\n',
    replace: '  void guarded\n',
    caughtBy: { script: 'valueLeftWhileItsIndexIsBuilt' },
  }),
  mutant({
    name: 'batchOfAnOlderSnapshot',
    what: 'the building commits what it read in another, younger transaction',
    file: BUILDER,
    find: `    const step = await buildBatch(transaction, building, bounds)
    await transaction.commit()
`,
    replace: `    const writes = []
    const noted = ['put', 'delete', 'dependOnSchema', 'changeSchema', 'changeCatalog']
    const noting = new Proxy(transaction, {
      get: (on, name) => {
        if (noted.includes(name)) return (...given) => void writes.push([name, given])
        return typeof on[name] === 'function' ? on[name].bind(on) : on[name]
      },
    })
    const step = await buildBatch(noting, building, bounds)
    const younger = await this.#deps.begin()
    for (const [name, given] of writes) younger[name](...given)
    await younger.commit()
`,
    caughtBy: { seedsMax: 60, ...GATEWAYS },
  }),
  mutant({
    name: 'duplicateOverwritten',
    what: 'the building puts a unique entry over that of another row',
    file: BACKFILL,
    find: 'if (taken !== undefined && !belongsTo(entry, taken)) {',
    replace: 'if (taken === undefined && !belongsTo(entry, entry.value)) {',
    caughtBy: { seedsMax: 60, ...EMBEDDED },
  }),
  mutant({
    name: 'duplicateOfABatchUnseen',
    what: 'two rows of one batch may claim one value',
    file: BACKFILL,
    find: 'const taken = there ?? own.get(keyString(entry.key))?.value',
    replace: 'const taken = there',
    caughtBy: { seedsMax: 60, ...EMBEDDED },
  }),
  mutant({
    name: 'presentEntryKept',
    what: 'the building takes whatever entry is there for the right one',
    file: BACKFILL,
    find: 'if (taken !== undefined && !belongsTo(entry, taken)) {',
    replace: 'if (taken !== undefined && taken.length === 0) {',
    caughtBy: { seedsMax: 60, ...EMBEDDED },
  }),
  mutant({
    name: 'readyTooEarly',
    what: 'the index is ready when its last batch is read, and not when it is written',
    file: BACKFILL,
    find: '  if (rows.length === 0) {\n',
    replace: '  if (rows.length < bounds.rowsMax) {\n',
    caughtBy: { seedsMax: 10, ...EMBEDDED },
  }),
  mutant({
    name: 'rowsPassedOver',
    what: 'a build that goes on begins one row too late',
    file: BACKFILL,
    find: 'start: keyAfter(position.last)',
    replace:
      'start: Buffer.concat([position.last.subarray(0, -1), Buffer.of((position.last.at(-1) ?? 0) + 2)])',
    caughtBy: { seedsMax: 60, ...EMBEDDED },
  }),
  mutant({
    name: 'buildIgnoresDrop',
    what: 'the building meets DROP INDEX neither at the fence nor in the position',
    file: BACKFILL,
    find: '  transaction.dependOnSchema(table.id)\n',
    replace: '',
    more: [
      {
        file: CHANGES,
        find: '  forgetProgress(transaction, index)\n  // The fence',
        replace: '  // The fence',
      },
    ],
    // The fence of gateways is one for all tables, so there it cannot be left out.
    caughtBy: { seedsMax: 600, ...EMBEDDED },
  }),
  mutant({
    name: 'positionOfOneBuilder',
    what: 'two builders do not meet in the position, which nobody writes before the end',
    file: BACKFILL,
    find: '  writePosition(transaction, index, moved)\n',
    replace: '',
    caughtBy: { seedsMax: 40, ...GATEWAYS },
  }),
]

/** The changes of the definition. */
const OF_DEFINITIONS: readonly Mutant[] = [
  mutant({
    name: 'noFenceAtCreate',
    what: 'CREATE INDEX lets those who write by the definition of before commit',
    file: CHANGES,
    find: 'changeTable(transaction, changed)',
    replace: 'changeTable(transaction, changed, { isFenced: false })',
    caughtBy: { seedsMax: 200, ...GATEWAYS },
  }),
  mutant({
    name: 'noFenceAtDrop',
    what: 'DROP INDEX lets those who write its entries commit',
    file: CHANGES,
    find: 'changeTable(transaction, { ...table, indexes })',
    replace: 'changeTable(transaction, { ...table, indexes }, { isFenced: false })',
    caughtBy: { seedsMax: 60, ...GATEWAYS },
  }),
  mutant({
    name: 'catalogNotTold',
    what: 'a change of the catalog does not tell those who remember the newest one',
    file: 'storage/tables/catalog/catalog-writes.ts',
    find: '  await transaction.changeCatalog(feature)\n',
    replace: '',
    more: [
      {
        file: 'storage/transactions/transaction.ts',
        find: '    this.changeCatalog()\n',
        replace: '',
      },
    ],
    caughtBy: { seedsMax: 10, ...EMBEDDED },
  }),
  mutant({
    name: 'catalogOfTheLastProcess',
    what: 'after a start, the catalog of an old snapshot is taken for the newest',
    file: 'storage/tables/catalog/newest-catalog.ts',
    find: 'this.#changedAt = openedAt',
    replace: 'this.#changedAt = 0',
    caughtBy: { seedsMax: 1_000, ...EMBEDDED },
  }),
  mutant({
    name: 'catalogKnownTooEarly',
    what: 'the catalog that is read while a change is under way is taken for the newest',
    file: 'storage/tables/catalog/newest-catalog.ts',
    find: 'if (this.#isInDoubt || this.#changing.size > 0 || startTs < this.#changedAt) return',
    replace: '',
    caughtBy: { seedsMax: 60, ...EMBEDDED },
  }),
]

export const INDEX_MUTANTS: readonly Mutant[] = [...OF_WRITERS, ...OF_BUILDING, ...OF_DEFINITIONS]
