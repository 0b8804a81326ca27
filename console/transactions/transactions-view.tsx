// SPDX-License-Identifier: Apache-2.0
import { useRight } from '../page/console-context.ts'
import { NeedsRight } from '../page/problem.tsx'
import { ConflictSection } from './conflict-section.tsx'
import { LockSection } from './lock-section.tsx'
import { OpenSection } from './open-section.tsx'
import { RunningSection } from './running-section.tsx'
import sheet from './transactions.css' with { type: 'css' }

document.adoptedStyleSheets.push(sheet)

/** What is under way, and who was in whose way. Without the right to look, one's own transactions. */
export function TransactionsView() {
  const mayInspect = useRight('inspect')
  return (
    <div class="status transactions">
      <OpenSection />
      {mayInspect ? (
        <>
          <ConflictSection />
          <RunningSection />
          <LockSection />
        </>
      ) : (
        <NeedsRight
          right="inspect"
          what="The transactions of others, conflicts, running statements and locks need"
        />
      )}
    </div>
  )
}
