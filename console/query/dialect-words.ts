// SPDX-License-Identifier: Apache-2.0

/** The keywords of the dialect, for colours; what may stand where is the server's to say. */
export const KEYWORDS =
  'add admin all alter always analyze and as asc at begin between block blocks by case check ' +
  'column commit conflict constraint create cron cursor day days default define delete desc ' +
  'describe distinct do drop due each else end every exists expires explain false family filter ' +
  'follow for from generated get grant grants group having hour hours identity if in index ' +
  'indexes insert inspect into is jwt keep key latest like limit lookup match millisecond ' +
  'milliseconds minute minutes missed none not nothing notify now null observe observer ' +
  'observers of on only optional or order overriding pause primary read relay relays rename ' +
  'replay restart resume retention returning revoke role roles rollback rotate run scan ' +
  'schedule schedules script second seconds secret select set show snapshot start store storing ' +
  'subject system table tables then to token tokens true unique update use value values weak ' +
  'when where with words write zone'

export const TYPES = 'boolean bytes integer interval json real text timestamp'
