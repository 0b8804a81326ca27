// SPDX-License-Identifier: Apache-2.0

import { createToken, Lexer, type TokenType } from 'chevrotain'

/** Whatever may stand as a name: an identifier, a quoted one, or a keyword that is not reserved. */
export const Name = createToken({ name: 'Name', pattern: Lexer.NA })

/** What may name a table in a statement: every name but OF, since AS OF is a moment. */
export const Alias = createToken({ name: 'Alias', pattern: Lexer.NA })

export const Identifier = createToken({
  name: 'Identifier',
  pattern: /[A-Za-z_][A-Za-z0-9_]*/,
  categories: [Name, Alias],
})

/** The values of the dialect; three of its words are among them. */
export const Literal = createToken({ name: 'Literal', pattern: Lexer.NA })

/** Never usable as a name without quotes. A word with a longer match, such as `order_id`, is none. */
function reserved(word: string, categories: TokenType[] = []): TokenType {
  return createToken({
    name: word,
    label: word,
    pattern: new RegExp(word, 'i'),
    longer_alt: Identifier,
    categories,
  })
}

function unreserved(word: string): TokenType {
  return reserved(word, [Name, Alias])
}

export const And = reserved('AND')
export const As = reserved('AS')
export const Asc = reserved('ASC')
export const Begin = reserved('BEGIN')
export const Between = reserved('BETWEEN')
export const By = reserved('BY')
export const Case = reserved('CASE')
export const Check = reserved('CHECK')
export const Commit = reserved('COMMIT')
export const Create = reserved('CREATE')
export const Delete = reserved('DELETE')
export const Desc = reserved('DESC')
export const Distinct = reserved('DISTINCT')
export const Drop = reserved('DROP')
export const Exists = reserved('EXISTS')
export const Explain = reserved('EXPLAIN')
export const False = reserved('FALSE', [Literal])
export const For = reserved('FOR')
export const From = reserved('FROM')
export const Get = reserved('GET')
export const Group = reserved('GROUP')
export const If = reserved('IF')
export const In = reserved('IN')
export const Insert = reserved('INSERT')
export const Into = reserved('INTO')
export const Is = reserved('IS')
export const Like = reserved('LIKE')
export const Limit = reserved('LIMIT')
export const Not = reserved('NOT')
export const Null = reserved('NULL', [Literal])
export const On = reserved('ON')
export const Or = reserved('OR')
export const Order = reserved('ORDER')
export const Returning = reserved('RETURNING')
export const Rollback = reserved('ROLLBACK')
export const Scan = reserved('SCAN')
export const Select = reserved('SELECT')
export const SetWord = reserved('SET')
export const True = reserved('TRUE', [Literal])
export const Update = reserved('UPDATE')
export const Use = reserved('USE')
export const Values = reserved('VALUES')
export const When = reserved('WHEN')
export const Where = reserved('WHERE')

export const Add = unreserved('ADD')
export const Admin = unreserved('ADMIN')
export const All = unreserved('ALL')
export const Alter = unreserved('ALTER')
export const Always = unreserved('ALWAYS')
export const Analyze = unreserved('ANALYZE')
export const At = unreserved('AT')
export const Block = unreserved('BLOCK')
export const Blocks = unreserved('BLOCKS')
export const Column = unreserved('COLUMN')
export const Conflict = unreserved('CONFLICT')
export const Constraint = unreserved('CONSTRAINT')
export const Cron = unreserved('CRON')
export const Cursor = unreserved('CURSOR')
export const Day = unreserved('DAY')
export const Days = unreserved('DAYS')
export const Default = unreserved('DEFAULT')
export const Define = unreserved('DEFINE')
export const Describe = unreserved('DESCRIBE')
export const Do = unreserved('DO')
export const Due = unreserved('DUE')
export const Each = unreserved('EACH')
export const Else = unreserved('ELSE')
export const End = unreserved('END')
export const Every = unreserved('EVERY')
export const Expires = unreserved('EXPIRES')
export const Family = unreserved('FAMILY')
export const Filter = unreserved('FILTER')
export const Follow = unreserved('FOLLOW')
export const Generated = unreserved('GENERATED')
export const Grant = unreserved('GRANT')
export const Grants = unreserved('GRANTS')
export const Having = unreserved('HAVING')
export const Hour = unreserved('HOUR')
export const Hours = unreserved('HOURS')
export const Identity = unreserved('IDENTITY')
export const Index = unreserved('INDEX')
export const Indexes = unreserved('INDEXES')
export const Inspect = unreserved('INSPECT')
export const Jwt = unreserved('JWT')
export const Keep = unreserved('KEEP')
export const Key = unreserved('KEY')
export const Latest = unreserved('LATEST')
export const Lookup = unreserved('LOOKUP')
export const Match = unreserved('MATCH')
export const Millisecond = unreserved('MILLISECOND')
export const Milliseconds = unreserved('MILLISECONDS')
export const Minute = unreserved('MINUTE')
export const Minutes = unreserved('MINUTES')
export const Missed = unreserved('MISSED')
export const None = unreserved('NONE')
export const Nothing = unreserved('NOTHING')
export const Notify = unreserved('NOTIFY')
export const Now = unreserved('NOW')
export const Observe = unreserved('OBSERVE')
export const Observer = unreserved('OBSERVER')
export const Observers = unreserved('OBSERVERS')
export const Of = reserved('OF', [Name])
export const Only = unreserved('ONLY')
export const Optional = unreserved('OPTIONAL')
export const Overriding = unreserved('OVERRIDING')
export const Pause = unreserved('PAUSE')
export const Primary = unreserved('PRIMARY')
export const Read = unreserved('READ')
export const Relay = unreserved('RELAY')
export const Relays = unreserved('RELAYS')
export const Rename = unreserved('RENAME')
export const Replay = unreserved('REPLAY')
export const Restart = unreserved('RESTART')
export const Resume = unreserved('RESUME')
export const Retention = unreserved('RETENTION')
export const Revoke = unreserved('REVOKE')
export const Role = unreserved('ROLE')
export const Roles = unreserved('ROLES')
export const Rotate = unreserved('ROTATE')
export const Run = unreserved('RUN')
export const Schedule = unreserved('SCHEDULE')
export const Schedules = unreserved('SCHEDULES')
export const Script = unreserved('SCRIPT')
export const Second = unreserved('SECOND')
export const Seconds = unreserved('SECONDS')
export const Secret = unreserved('SECRET')
export const Show = unreserved('SHOW')
export const Snapshot = unreserved('SNAPSHOT')
export const Start = unreserved('START')
export const Store = unreserved('STORE')
export const Storing = unreserved('STORING')
export const Subject = unreserved('SUBJECT')
export const System = unreserved('SYSTEM')
export const Table = unreserved('TABLE')
export const Tables = unreserved('TABLES')
export const Then = unreserved('THEN')
export const To = unreserved('TO')
export const Token = unreserved('TOKEN')
export const Tokens = unreserved('TOKENS')
export const Unique = unreserved('UNIQUE')
export const Value = unreserved('VALUE')
export const Weak = unreserved('WEAK')
export const With = unreserved('WITH')
export const Words = unreserved('WORDS')
export const Write = unreserved('WRITE')
export const Zone = unreserved('ZONE')

export const RESERVED_WORDS: readonly TokenType[] = [
  ...[
    And,
    As,
    Asc,
    Begin,
    Between,
    By,
    Case,
    Check,
    Commit,
    Create,
    Delete,
    Desc,
    Distinct,
    Drop,
    Exists,
    Explain,
  ],
  ...[
    False,
    For,
    From,
    Get,
    Group,
    If,
    In,
    Insert,
    Into,
    Is,
    Like,
    Limit,
    Not,
    Null,
    On,
    Or,
    Order,
  ],
  ...[Returning, Rollback, Scan, Select, SetWord, True, Update, Use, Values, When, Where],
]

export const UNRESERVED_WORDS: readonly TokenType[] = [
  ...[
    Add,
    Admin,
    All,
    Alter,
    Always,
    Analyze,
    At,
    Block,
    Blocks,
    Column,
    Conflict,
    Constraint,
    Cron,
    Cursor,
    Day,
    Days,
  ],
  ...[
    Default,
    Define,
    Describe,
    Do,
    Due,
    Each,
    Else,
    End,
    Every,
    Expires,
    Family,
    Filter,
    Follow,
    Generated,
    Grant,
    Grants,
    Having,
  ],
  ...[
    Hour,
    Hours,
    Identity,
    Index,
    Indexes,
    Inspect,
    Jwt,
    Keep,
    Key,
    Latest,
    Lookup,
    Match,
    Millisecond,
    Milliseconds,
    Minute,
    Minutes,
    Missed,
    None,
  ],
  ...[
    Nothing,
    Notify,
    Now,
    Observe,
    Observer,
    Observers,
    Of,
    Only,
    Optional,
    Overriding,
    Pause,
    Primary,
    Read,
    Relay,
    Relays,
    Rename,
    Replay,
  ],
  ...[
    Restart,
    Resume,
    Retention,
    Revoke,
    Role,
    Roles,
    Rotate,
    Run,
    Schedule,
    Schedules,
    Script,
    Second,
    Seconds,
    Secret,
    Show,
    Snapshot,
    Start,
    Store,
    Storing,
    Subject,
  ],
  ...[
    System,
    Table,
    Tables,
    Then,
    To,
    Token,
    Tokens,
    Unique,
    Value,
    Weak,
    With,
    Words,
    Write,
    Zone,
  ],
]

/** The longer word first: the lexer takes the first that matches, and DESC begins DESCRIBE. */
export const KEYWORDS: readonly TokenType[] = [...RESERVED_WORDS, ...UNRESERVED_WORDS].sort(
  (left, right) => right.name.length - left.name.length,
)
