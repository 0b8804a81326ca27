// SPDX-License-Identifier: Apache-2.0
// Made by generate-grammar-cst.ts.

import type { CstNode, IToken } from "chevrotain";

export interface ExpressionCstNode extends CstNode {
  name: "expression";
  children: ExpressionCstChildren;
}

export type ExpressionCstChildren = {
  conjunction: ConjunctionCstNode[];
  OR?: IToken[];
};

export interface ConjunctionCstNode extends CstNode {
  name: "conjunction";
  children: ConjunctionCstChildren;
}

export type ConjunctionCstChildren = {
  negation: NegationCstNode[];
  AND?: IToken[];
};

export interface NegationCstNode extends CstNode {
  name: "negation";
  children: NegationCstChildren;
}

export type NegationCstChildren = {
  NOT?: IToken[];
  predicate: PredicateCstNode[];
};

export interface PredicateCstNode extends CstNode {
  name: "predicate";
  children: PredicateCstChildren;
}

export type PredicateCstChildren = {
  sum: SumCstNode[];
  predicateTail?: PredicateTailCstNode[];
};

export interface PredicateTailCstNode extends CstNode {
  name: "predicateTail";
  children: PredicateTailCstChildren;
}

export type PredicateTailCstChildren = {
  comparisonTail?: ComparisonTailCstNode[];
  isNullTail?: IsNullTailCstNode[];
  NOT?: IToken[];
  inTail?: InTailCstNode[];
  betweenTail?: BetweenTailCstNode[];
  likeTail?: LikeTailCstNode[];
  matchTail?: MatchTailCstNode[];
};

export interface ComparisonTailCstNode extends CstNode {
  name: "comparisonTail";
  children: ComparisonTailCstChildren;
}

export type ComparisonTailCstChildren = {
  ComparisonOperator: IToken[];
  sum: SumCstNode[];
};

export interface IsNullTailCstNode extends CstNode {
  name: "isNullTail";
  children: IsNullTailCstChildren;
}

export type IsNullTailCstChildren = {
  IS: IToken[];
  NOT?: IToken[];
  NULL: IToken[];
};

export interface InTailCstNode extends CstNode {
  name: "inTail";
  children: InTailCstChildren;
}

export type InTailCstChildren = {
  IN: IToken[];
  Parameter?: IToken[];
  LeftParenthesis?: IToken[];
  expression?: ExpressionCstNode[];
  Comma?: IToken[];
  RightParenthesis?: IToken[];
};

export interface BetweenTailCstNode extends CstNode {
  name: "betweenTail";
  children: BetweenTailCstChildren;
}

export type BetweenTailCstChildren = {
  BETWEEN: IToken[];
  sum: (SumCstNode)[];
  AND: IToken[];
};

export interface LikeTailCstNode extends CstNode {
  name: "likeTail";
  children: LikeTailCstChildren;
}

export type LikeTailCstChildren = {
  LIKE: IToken[];
  sum: SumCstNode[];
};

export interface MatchTailCstNode extends CstNode {
  name: "matchTail";
  children: MatchTailCstChildren;
}

export type MatchTailCstChildren = {
  MATCH: IToken[];
  sum: SumCstNode[];
};

export interface SumCstNode extends CstNode {
  name: "sum";
  children: SumCstChildren;
}

export type SumCstChildren = {
  product: (ProductCstNode)[];
  AdditiveOperator?: IToken[];
};

export interface ProductCstNode extends CstNode {
  name: "product";
  children: ProductCstChildren;
}

export type ProductCstChildren = {
  factor: (FactorCstNode)[];
  MultiplicativeOperator?: IToken[];
};

export interface FactorCstNode extends CstNode {
  name: "factor";
  children: FactorCstChildren;
}

export type FactorCstChildren = {
  Sign?: IToken[];
  operand: OperandCstNode[];
};

export interface OperandCstNode extends CstNode {
  name: "operand";
  children: OperandCstChildren;
}

export type OperandCstChildren = {
  Literal?: IToken[];
  Parameter?: IToken[];
  CASE?: IToken[];
  caseParts?: CasePartsCstNode[];
  interval?: IntervalCstNode[];
  columnOrCall?: ColumnOrCallCstNode[];
  LeftParenthesis?: IToken[];
  expression?: ExpressionCstNode[];
  Comma?: IToken[];
  RightParenthesis?: IToken[];
  castTail?: CastTailCstNode[];
};

export interface CastTailCstNode extends CstNode {
  name: "castTail";
  children: CastTailCstChildren;
}

export type CastTailCstChildren = {
  CastMark: IToken[];
  typeName: TypeNameCstNode[];
};

export interface CasePartsCstNode extends CstNode {
  name: "caseParts";
  children: CasePartsCstChildren;
}

export type CasePartsCstChildren = {
  expression?: (ExpressionCstNode)[];
  caseBranch: CaseBranchCstNode[];
  ELSE?: IToken[];
  END: IToken[];
};

export interface CaseBranchCstNode extends CstNode {
  name: "caseBranch";
  children: CaseBranchCstChildren;
}

export type CaseBranchCstChildren = {
  WHEN: IToken[];
  expression: (ExpressionCstNode)[];
  THEN: IToken[];
};

export interface ColumnOrCallCstNode extends CstNode {
  name: "columnOrCall";
  children: ColumnOrCallCstChildren;
}

export type ColumnOrCallCstChildren = {
  Name: IToken[];
  qualifiedName?: QualifiedNameCstNode[];
  callArguments?: CallArgumentsCstNode[];
  filterClause?: FilterClauseCstNode[];
};

export interface IntervalCstNode extends CstNode {
  name: "interval";
  children: IntervalCstChildren;
}

export type IntervalCstChildren = {
  IntervalMark: IToken[];
  Text: IToken[];
};

export interface QualifiedNameCstNode extends CstNode {
  name: "qualifiedName";
  children: QualifiedNameCstChildren;
}

export type QualifiedNameCstChildren = {
  Dot: IToken[];
  columnName: ColumnNameCstNode[];
};

export interface CallArgumentsCstNode extends CstNode {
  name: "callArguments";
  children: CallArgumentsCstChildren;
}

export type CallArgumentsCstChildren = {
  LeftParenthesis: IToken[];
  Star?: IToken[];
  DISTINCT?: IToken[];
  expression?: ExpressionCstNode[];
  Comma?: IToken[];
  castType?: CastTypeCstNode[];
  RightParenthesis: IToken[];
};

export interface CastTypeCstNode extends CstNode {
  name: "castType";
  children: CastTypeCstChildren;
}

export type CastTypeCstChildren = {
  AS: IToken[];
  typeName: TypeNameCstNode[];
};

export interface FilterClauseCstNode extends CstNode {
  name: "filterClause";
  children: FilterClauseCstChildren;
}

export type FilterClauseCstChildren = {
  FILTER: IToken[];
  LeftParenthesis: IToken[];
  WHERE: IToken[];
  expression: ExpressionCstNode[];
  RightParenthesis: IToken[];
};

export interface TypeNameCstNode extends CstNode {
  name: "typeName";
  children: TypeNameCstChildren;
}

export type TypeNameCstChildren = {
  Name: IToken[];
  typeSize?: TypeSizeCstNode[];
};

export interface TypeSizeCstNode extends CstNode {
  name: "typeSize";
  children: TypeSizeCstChildren;
}

export type TypeSizeCstChildren = {
  LeftParenthesis: IToken[];
  Integer: IToken[];
  Comma?: IToken[];
  RightParenthesis: IToken[];
};

export interface TableNameCstNode extends CstNode {
  name: "tableName";
  children: TableNameCstChildren;
}

export type TableNameCstChildren = {
  Name: IToken[];
};

export interface ColumnNameCstNode extends CstNode {
  name: "columnName";
  children: ColumnNameCstChildren;
}

export type ColumnNameCstChildren = {
  Name: IToken[];
};

export interface IndexNameCstNode extends CstNode {
  name: "indexName";
  children: IndexNameCstChildren;
}

export type IndexNameCstChildren = {
  Name: IToken[];
};

export interface FamilyNameCstNode extends CstNode {
  name: "familyName";
  children: FamilyNameCstChildren;
}

export type FamilyNameCstChildren = {
  Name: IToken[];
};

export interface LabelCstNode extends CstNode {
  name: "label";
  children: LabelCstChildren;
}

export type LabelCstChildren = {
  Name: IToken[];
};

export interface AsOfCstNode extends CstNode {
  name: "asOf";
  children: AsOfCstChildren;
}

export type AsOfCstChildren = {
  AS: IToken[];
  OF: IToken[];
  stamp: StampCstNode[];
};

export interface StampCstNode extends CstNode {
  name: "stamp";
  children: StampCstChildren;
}

export type StampCstChildren = {
  Integer?: IToken[];
  Text?: IToken[];
  Parameter?: IToken[];
};

export interface ProjectionCstNode extends CstNode {
  name: "projection";
  children: ProjectionCstChildren;
}

export type ProjectionCstChildren = {
  Star?: IToken[];
  projectionItem?: ProjectionItemCstNode[];
  Comma?: IToken[];
};

export interface ProjectionItemCstNode extends CstNode {
  name: "projectionItem";
  children: ProjectionItemCstChildren;
}

export type ProjectionItemCstChildren = {
  columnsOfTable?: ColumnsOfTableCstNode[];
  labelledExpression?: LabelledExpressionCstNode[];
};

export interface ColumnsOfTableCstNode extends CstNode {
  name: "columnsOfTable";
  children: ColumnsOfTableCstChildren;
}

export type ColumnsOfTableCstChildren = {
  qualifier: QualifierCstNode[];
  Dot: IToken[];
  Star: IToken[];
};

export interface QualifierCstNode extends CstNode {
  name: "qualifier";
  children: QualifierCstChildren;
}

export type QualifierCstChildren = {
  Name: IToken[];
};

export interface LabelledExpressionCstNode extends CstNode {
  name: "labelledExpression";
  children: LabelledExpressionCstChildren;
}

export type LabelledExpressionCstChildren = {
  expression: ExpressionCstNode[];
  AS?: IToken[];
  label?: LabelCstNode[];
};

export interface TableReadCstNode extends CstNode {
  name: "tableRead";
  children: TableReadCstChildren;
}

export type TableReadCstChildren = {
  tableName: TableNameCstNode[];
  tableAlias?: TableAliasCstNode[];
  asOf?: (AsOfCstNode)[];
};

export interface LookupClauseCstNode extends CstNode {
  name: "lookupClause";
  children: LookupClauseCstChildren;
}

export type LookupClauseCstChildren = {
  LOOKUP: IToken[];
  tableName: TableNameCstNode[];
  tableAlias?: TableAliasCstNode[];
  BY: IToken[];
  conjunction: ConjunctionCstNode[];
  OPTIONAL?: IToken[];
};

export interface TableAliasCstNode extends CstNode {
  name: "tableAlias";
  children: TableAliasCstChildren;
}

export type TableAliasCstChildren = {
  AS: IToken[];
  Alias: IToken[];
};

export interface KeyHintCstNode extends CstNode {
  name: "keyHint";
  children: KeyHintCstChildren;
}

export type KeyHintCstChildren = {
  USE: IToken[];
  INDEX?: IToken[];
  indexName?: IndexNameCstNode[];
  PRIMARY?: IToken[];
  KEY?: IToken[];
};

export interface WhereClauseCstNode extends CstNode {
  name: "whereClause";
  children: WhereClauseCstChildren;
}

export type WhereClauseCstChildren = {
  WHERE: IToken[];
  expression: ExpressionCstNode[];
};

export interface GroupByClauseCstNode extends CstNode {
  name: "groupByClause";
  children: GroupByClauseCstChildren;
}

export type GroupByClauseCstChildren = {
  GROUP: IToken[];
  BY: IToken[];
  expression: ExpressionCstNode[];
  Comma?: IToken[];
  havingClause?: HavingClauseCstNode[];
};

export interface HavingClauseCstNode extends CstNode {
  name: "havingClause";
  children: HavingClauseCstChildren;
}

export type HavingClauseCstChildren = {
  HAVING: IToken[];
  expression: ExpressionCstNode[];
};

export interface OrderByClauseCstNode extends CstNode {
  name: "orderByClause";
  children: OrderByClauseCstChildren;
}

export type OrderByClauseCstChildren = {
  ORDER: IToken[];
  BY: IToken[];
  orderPart: OrderPartCstNode[];
  Comma?: IToken[];
};

export interface OrderPartCstNode extends CstNode {
  name: "orderPart";
  children: OrderPartCstChildren;
}

export type OrderPartCstChildren = {
  expression: ExpressionCstNode[];
  ASC?: IToken[];
  DESC?: IToken[];
};

export interface DirectedColumnCstNode extends CstNode {
  name: "directedColumn";
  children: DirectedColumnCstChildren;
}

export type DirectedColumnCstChildren = {
  columnName: ColumnNameCstNode[];
  ASC?: IToken[];
  DESC?: IToken[];
};

export interface LimitClauseCstNode extends CstNode {
  name: "limitClause";
  children: LimitClauseCstChildren;
}

export type LimitClauseCstChildren = {
  LIMIT: IToken[];
  rowCount: RowCountCstNode[];
};

export interface RowCountCstNode extends CstNode {
  name: "rowCount";
  children: RowCountCstChildren;
}

export type RowCountCstChildren = {
  Integer?: IToken[];
  Parameter?: IToken[];
};

export interface ReturningClauseCstNode extends CstNode {
  name: "returningClause";
  children: ReturningClauseCstChildren;
}

export type ReturningClauseCstChildren = {
  RETURNING: IToken[];
  projection: ProjectionCstNode[];
  intoClause?: IntoClauseCstNode[];
};

export interface IntoClauseCstNode extends CstNode {
  name: "intoClause";
  children: IntoClauseCstChildren;
}

export type IntoClauseCstChildren = {
  INTO: IToken[];
  NamedParameter: IToken[];
  Comma?: IToken[];
};

export interface ColumnListCstNode extends CstNode {
  name: "columnList";
  children: ColumnListCstChildren;
}

export type ColumnListCstChildren = {
  LeftParenthesis: IToken[];
  columnName: ColumnNameCstNode[];
  Comma?: IToken[];
  RightParenthesis: IToken[];
};

export interface KeyColumnListCstNode extends CstNode {
  name: "keyColumnList";
  children: KeyColumnListCstChildren;
}

export type KeyColumnListCstChildren = {
  LeftParenthesis: IToken[];
  directedColumn: DirectedColumnCstNode[];
  Comma?: IToken[];
  RightParenthesis: IToken[];
};

export interface KeyPartCstNode extends CstNode {
  name: "keyPart";
  children: KeyPartCstChildren;
}

export type KeyPartCstChildren = {
  columnName: ColumnNameCstNode[];
  pathStep?: PathStepCstNode[];
};

export interface PathStepCstNode extends CstNode {
  name: "pathStep";
  children: PathStepCstChildren;
}

export type PathStepCstChildren = {
  JsonArrow: IToken[];
  Text?: IToken[];
  Sign?: IToken[];
  Integer?: IToken[];
};

export interface KeyPartListCstNode extends CstNode {
  name: "keyPartList";
  children: KeyPartListCstChildren;
}

export type KeyPartListCstChildren = {
  LeftParenthesis: IToken[];
  keyPart: KeyPartCstNode[];
  Comma?: IToken[];
  RightParenthesis: IToken[];
};

export interface IndexPartCstNode extends CstNode {
  name: "indexPart";
  children: IndexPartCstChildren;
}

export type IndexPartCstChildren = {
  EACH?: IToken[];
  WORDS?: IToken[];
  keyPart: KeyPartCstNode[];
  ASC?: IToken[];
  DESC?: IToken[];
};

export interface IfNotExistsCstNode extends CstNode {
  name: "ifNotExists";
  children: IfNotExistsCstChildren;
}

export type IfNotExistsCstChildren = {
  IF: IToken[];
  NOT: IToken[];
  EXISTS: IToken[];
};

export interface IfExistsCstNode extends CstNode {
  name: "ifExists";
  children: IfExistsCstChildren;
}

export type IfExistsCstChildren = {
  IF: IToken[];
  EXISTS: IToken[];
};

export interface DataStatementCstNode extends CstNode {
  name: "dataStatement";
  children: DataStatementCstChildren;
}

export type DataStatementCstChildren = {
  getStatement?: GetStatementCstNode[];
  scanStatement?: ScanStatementCstNode[];
  setStatement?: SetStatementCstNode[];
  insertStatement?: InsertStatementCstNode[];
  deleteStatement?: DeleteStatementCstNode[];
};

export interface GetStatementCstNode extends CstNode {
  name: "getStatement";
  children: GetStatementCstChildren;
}

export type GetStatementCstChildren = {
  GET: IToken[];
  projection: ProjectionCstNode[];
  FROM: IToken[];
  tableRead: TableReadCstNode[];
  lookupClause?: LookupClauseCstNode[];
  whereClause: WhereClauseCstNode[];
  FOR?: IToken[];
  UPDATE?: IToken[];
  intoClause?: IntoClauseCstNode[];
};

export interface ScanStatementCstNode extends CstNode {
  name: "scanStatement";
  children: ScanStatementCstChildren;
}

export type ScanStatementCstChildren = {
  SCAN: IToken[];
  DISTINCT?: IToken[];
  projection: ProjectionCstNode[];
  FROM: IToken[];
  tableRead: TableReadCstNode[];
  keyHint?: KeyHintCstNode[];
  lookupClause?: LookupClauseCstNode[];
  whereClause?: WhereClauseCstNode[];
  groupByClause?: GroupByClauseCstNode[];
  orderByClause?: OrderByClauseCstNode[];
  limitClause?: LimitClauseCstNode[];
  intoClause?: IntoClauseCstNode[];
};

export interface SetStatementCstNode extends CstNode {
  name: "setStatement";
  children: SetStatementCstChildren;
}

export type SetStatementCstChildren = {
  SET: IToken[];
  assignment: AssignmentCstNode[];
  Comma?: IToken[];
  ON: IToken[];
  tableName: TableNameCstNode[];
  keyHint?: KeyHintCstNode[];
  whereClause: WhereClauseCstNode[];
  precondition?: PreconditionCstNode[];
  limitClause?: LimitClauseCstNode[];
  returningClause?: ReturningClauseCstNode[];
};

export interface AssignmentCstNode extends CstNode {
  name: "assignment";
  children: AssignmentCstChildren;
}

export type AssignmentCstChildren = {
  columnName: ColumnNameCstNode[];
  Equal: IToken[];
  expression: ExpressionCstNode[];
};

export interface PreconditionCstNode extends CstNode {
  name: "precondition";
  children: PreconditionCstChildren;
}

export type PreconditionCstChildren = {
  IF: IToken[];
  EXISTS?: (IToken)[];
  NOT?: IToken[];
  expression?: ExpressionCstNode[];
};

export interface InsertStatementCstNode extends CstNode {
  name: "insertStatement";
  children: InsertStatementCstChildren;
}

export type InsertStatementCstChildren = {
  INSERT: IToken[];
  INTO: IToken[];
  tableName: TableNameCstNode[];
  columnList: ColumnListCstNode[];
  OVERRIDING?: IToken[];
  SYSTEM?: IToken[];
  VALUE?: IToken[];
  VALUES: IToken[];
  insertedRows: InsertedRowsCstNode[];
  conflictClause?: ConflictClauseCstNode[];
  returningClause?: ReturningClauseCstNode[];
};

export interface ConflictClauseCstNode extends CstNode {
  name: "conflictClause";
  children: ConflictClauseCstChildren;
}

export type ConflictClauseCstChildren = {
  ON: IToken[];
  CONFLICT: IToken[];
  keyPartList?: KeyPartListCstNode[];
  DO: IToken[];
  NOTHING?: IToken[];
  updateAction?: UpdateActionCstNode[];
};

export interface UpdateActionCstNode extends CstNode {
  name: "updateAction";
  children: UpdateActionCstChildren;
}

export type UpdateActionCstChildren = {
  UPDATE: IToken[];
  SET: IToken[];
  assignment: AssignmentCstNode[];
  Comma?: IToken[];
  IF?: IToken[];
  expression?: ExpressionCstNode[];
};

export interface InsertedRowsCstNode extends CstNode {
  name: "insertedRows";
  children: InsertedRowsCstChildren;
}

export type InsertedRowsCstChildren = {
  insertedRow: InsertedRowCstNode[];
  Comma?: IToken[];
};

export interface InsertedRowCstNode extends CstNode {
  name: "insertedRow";
  children: InsertedRowCstChildren;
}

export type InsertedRowCstChildren = {
  LeftParenthesis: IToken[];
  expression: ExpressionCstNode[];
  Comma?: IToken[];
  RightParenthesis: IToken[];
};

export interface DeleteStatementCstNode extends CstNode {
  name: "deleteStatement";
  children: DeleteStatementCstChildren;
}

export type DeleteStatementCstChildren = {
  DELETE: IToken[];
  FROM: IToken[];
  tableName: TableNameCstNode[];
  keyHint?: KeyHintCstNode[];
  whereClause?: WhereClauseCstNode[];
  limitClause?: LimitClauseCstNode[];
  returningClause?: ReturningClauseCstNode[];
};

export interface CheckStatementCstNode extends CstNode {
  name: "checkStatement";
  children: CheckStatementCstChildren;
}

export type CheckStatementCstChildren = {
  CHECK: IToken[];
  expression: ExpressionCstNode[];
  ON: IToken[];
  tableName: TableNameCstNode[];
  whereClause: WhereClauseCstNode[];
};

export interface ObserverNameCstNode extends CstNode {
  name: "observerName";
  children: ObserverNameCstChildren;
}

export type ObserverNameCstChildren = {
  Name: IToken[];
};

export interface NewObserverCstNode extends CstNode {
  name: "newObserver";
  children: NewObserverCstChildren;
}

export type NewObserverCstChildren = {
  WEAK?: IToken[];
  OBSERVER: IToken[];
  ifNotExists?: IfNotExistsCstNode[];
  observerName: ObserverNameCstNode[];
  ON: IToken[];
  tableName: TableNameCstNode[];
  columnList: ColumnListCstNode[];
  dueClause?: DueClauseCstNode[];
};

export interface DueClauseCstNode extends CstNode {
  name: "dueClause";
  children: DueClauseCstChildren;
}

export type DueClauseCstChildren = {
  DUE: IToken[];
  columnName: ColumnNameCstNode[];
};

export interface AlteredObserverCstNode extends CstNode {
  name: "alteredObserver";
  children: AlteredObserverCstChildren;
}

export type AlteredObserverCstChildren = {
  OBSERVER: IToken[];
  observerName: ObserverNameCstNode[];
  PAUSE?: IToken[];
  RESUME?: IToken[];
  replayClause?: ReplayClauseCstNode[];
};

export interface ReplayClauseCstNode extends CstNode {
  name: "replayClause";
  children: ReplayClauseCstChildren;
}

export type ReplayClauseCstChildren = {
  REPLAY: IToken[];
  FROM: IToken[];
  stamp: StampCstNode[];
};

export interface DroppedObserverCstNode extends CstNode {
  name: "droppedObserver";
  children: DroppedObserverCstChildren;
}

export type DroppedObserverCstChildren = {
  OBSERVER: IToken[];
  ifExists?: IfExistsCstNode[];
  observerName: ObserverNameCstNode[];
};

export interface NotifyStatementCstNode extends CstNode {
  name: "notifyStatement";
  children: NotifyStatementCstChildren;
}

export type NotifyStatementCstChildren = {
  NOTIFY: IToken[];
  observerName: ObserverNameCstNode[];
  ON: IToken[];
  tableName: TableNameCstNode[];
  whereClause: WhereClauseCstNode[];
};

export interface ScheduleNameCstNode extends CstNode {
  name: "scheduleName";
  children: ScheduleNameCstChildren;
}

export type ScheduleNameCstChildren = {
  Name: IToken[];
};

export interface NewScheduleCstNode extends CstNode {
  name: "newSchedule";
  children: NewScheduleCstChildren;
}

export type NewScheduleCstChildren = {
  SCHEDULE: IToken[];
  ifNotExists?: IfNotExistsCstNode[];
  scheduleName: ScheduleNameCstNode[];
  everyClause?: EveryClauseCstNode[];
  cronClause?: CronClauseCstNode[];
  zoneClause?: ZoneClauseCstNode[];
  RUN: IToken[];
  observerName: ObserverNameCstNode[];
  missedClause?: MissedClauseCstNode[];
};

export interface EveryClauseCstNode extends CstNode {
  name: "everyClause";
  children: EveryClauseCstChildren;
}

export type EveryClauseCstChildren = {
  EVERY: IToken[];
  Text: (IToken)[];
  AT?: IToken[];
};

export interface CronClauseCstNode extends CstNode {
  name: "cronClause";
  children: CronClauseCstChildren;
}

export type CronClauseCstChildren = {
  CRON: IToken[];
  Text: IToken[];
};

export interface ZoneClauseCstNode extends CstNode {
  name: "zoneClause";
  children: ZoneClauseCstChildren;
}

export type ZoneClauseCstChildren = {
  ZONE: IToken[];
  Text: IToken[];
};

export interface MissedClauseCstNode extends CstNode {
  name: "missedClause";
  children: MissedClauseCstChildren;
}

export type MissedClauseCstChildren = {
  MISSED: IToken[];
  LATEST?: IToken[];
  ALL?: IToken[];
};

export interface AlteredScheduleCstNode extends CstNode {
  name: "alteredSchedule";
  children: AlteredScheduleCstChildren;
}

export type AlteredScheduleCstChildren = {
  SCHEDULE: IToken[];
  scheduleName: ScheduleNameCstNode[];
  PAUSE?: IToken[];
  RESUME?: IToken[];
};

export interface DroppedScheduleCstNode extends CstNode {
  name: "droppedSchedule";
  children: DroppedScheduleCstChildren;
}

export type DroppedScheduleCstChildren = {
  SCHEDULE: IToken[];
  ifExists?: IfExistsCstNode[];
  scheduleName: ScheduleNameCstNode[];
};

export interface TokenNameCstNode extends CstNode {
  name: "tokenName";
  children: TokenNameCstChildren;
}

export type TokenNameCstChildren = {
  Name: IToken[];
};

export interface RoleNameCstNode extends CstNode {
  name: "roleName";
  children: RoleNameCstChildren;
}

export type RoleNameCstChildren = {
  Name: IToken[];
};

export interface NewTokenCstNode extends CstNode {
  name: "newToken";
  children: NewTokenCstChildren;
}

export type NewTokenCstChildren = {
  TOKEN: IToken[];
  tokenName: TokenNameCstNode[];
  ROLE: IToken[];
  roleName: RoleNameCstNode[];
  expiry: ExpiryCstNode[];
};

export interface AlteredTokenCstNode extends CstNode {
  name: "alteredToken";
  children: AlteredTokenCstChildren;
}

export type AlteredTokenCstChildren = {
  TOKEN: IToken[];
  tokenName: TokenNameCstNode[];
  expiry: ExpiryCstNode[];
};

export interface DroppedTokenCstNode extends CstNode {
  name: "droppedToken";
  children: DroppedTokenCstChildren;
}

export type DroppedTokenCstChildren = {
  TOKEN: IToken[];
  tokenName: TokenNameCstNode[];
};

export interface RotateStatementCstNode extends CstNode {
  name: "rotateStatement";
  children: RotateStatementCstChildren;
}

export type RotateStatementCstChildren = {
  ROTATE: IToken[];
  rotatedToken?: RotatedTokenCstNode[];
  SECRET?: IToken[];
  CURSOR?: IToken[];
};

export interface RotatedTokenCstNode extends CstNode {
  name: "rotatedToken";
  children: RotatedTokenCstChildren;
}

export type RotatedTokenCstChildren = {
  TOKEN: IToken[];
  tokenName: TokenNameCstNode[];
  KEEP?: IToken[];
  duration?: DurationCstNode[];
};

export interface NewBlockCstNode extends CstNode {
  name: "newBlock";
  children: NewBlockCstChildren;
}

export type NewBlockCstChildren = {
  block: BlockCstNode[];
  expiry?: ExpiryCstNode[];
};

export interface BlockCstNode extends CstNode {
  name: "block";
  children: BlockCstChildren;
}

export type BlockCstChildren = {
  BLOCK: IToken[];
  SUBJECT: IToken[];
  Text: IToken[];
};

export interface ExpiryCstNode extends CstNode {
  name: "expiry";
  children: ExpiryCstChildren;
}

export type ExpiryCstChildren = {
  EXPIRES: IToken[];
  IN: IToken[];
  duration: DurationCstNode[];
};

export interface DurationCstNode extends CstNode {
  name: "duration";
  children: DurationCstChildren;
}

export type DurationCstChildren = {
  Integer: IToken[];
  durationUnit: DurationUnitCstNode[];
};

export interface DurationUnitCstNode extends CstNode {
  name: "durationUnit";
  children: DurationUnitCstChildren;
}

export type DurationUnitCstChildren = {
  MILLISECOND?: IToken[];
  MILLISECONDS?: IToken[];
  SECOND?: IToken[];
  SECONDS?: IToken[];
  MINUTE?: IToken[];
  MINUTES?: IToken[];
  HOUR?: IToken[];
  HOURS?: IToken[];
  DAY?: IToken[];
  DAYS?: IToken[];
};

export interface NewRoleCstNode extends CstNode {
  name: "newRole";
  children: NewRoleCstChildren;
}

export type NewRoleCstChildren = {
  ROLE: IToken[];
  roleName: RoleNameCstNode[];
  FOR?: IToken[];
  JWT?: IToken[];
};

export interface AlteredRoleCstNode extends CstNode {
  name: "alteredRole";
  children: AlteredRoleCstChildren;
}

export type AlteredRoleCstChildren = {
  ROLE: IToken[];
  roleName: RoleNameCstNode[];
  LIMIT: IToken[];
  roleLimit: RoleLimitCstNode[];
  Comma?: IToken[];
};

export interface RoleLimitCstNode extends CstNode {
  name: "roleLimit";
  children: RoleLimitCstChildren;
}

export type RoleLimitCstChildren = {
  Name: IToken[];
  NONE?: IToken[];
  Integer?: IToken[];
  durationUnit?: DurationUnitCstNode[];
};

export interface AlteredStoreCstNode extends CstNode {
  name: "alteredStore";
  children: AlteredStoreCstChildren;
}

export type AlteredStoreCstChildren = {
  STORE: IToken[];
  SET: IToken[];
  RETENTION: IToken[];
  Equal: IToken[];
  Text: IToken[];
};

export interface DroppedRoleCstNode extends CstNode {
  name: "droppedRole";
  children: DroppedRoleCstChildren;
}

export type DroppedRoleCstChildren = {
  ROLE: IToken[];
  roleName: RoleNameCstNode[];
};

export interface GrantStatementCstNode extends CstNode {
  name: "grantStatement";
  children: GrantStatementCstChildren;
}

export type GrantStatementCstChildren = {
  GRANT: IToken[];
  rightList: RightListCstNode[];
  rightsPlace?: RightsPlaceCstNode[];
  TO: IToken[];
  roleName: RoleNameCstNode[];
  whereClause?: WhereClauseCstNode[];
};

export interface RevokeStatementCstNode extends CstNode {
  name: "revokeStatement";
  children: RevokeStatementCstChildren;
}

export type RevokeStatementCstChildren = {
  REVOKE: IToken[];
  ALL?: IToken[];
  rightList?: RightListCstNode[];
  rightsPlace?: RightsPlaceCstNode[];
  FROM: IToken[];
  roleName: RoleNameCstNode[];
};

export interface RightListCstNode extends CstNode {
  name: "rightList";
  children: RightListCstChildren;
}

export type RightListCstChildren = {
  right: RightCstNode[];
  Comma?: IToken[];
};

export interface RightCstNode extends CstNode {
  name: "right";
  children: RightCstChildren;
}

export type RightCstChildren = {
  READ?: IToken[];
  WRITE?: IToken[];
  OBSERVE?: IToken[];
  DEFINE?: IToken[];
  INSPECT?: IToken[];
  FOLLOW?: IToken[];
  ADMIN?: IToken[];
};

export interface RightsPlaceCstNode extends CstNode {
  name: "rightsPlace";
  children: RightsPlaceCstChildren;
}

export type RightsPlaceCstChildren = {
  ON: IToken[];
  ALL?: IToken[];
  TABLES?: IToken[];
  tableName?: TableNameCstNode[];
};

export interface RelayNameCstNode extends CstNode {
  name: "relayName";
  children: RelayNameCstChildren;
}

export type RelayNameCstChildren = {
  Name: IToken[];
};

export interface NewRelayCstNode extends CstNode {
  name: "newRelay";
  children: NewRelayCstChildren;
}

export type NewRelayCstChildren = {
  RELAY: IToken[];
  ifNotExists?: IfNotExistsCstNode[];
  relayName: RelayNameCstNode[];
  ON: IToken[];
  TABLES: IToken[];
  tableName: TableNameCstNode[];
  Comma?: IToken[];
  TO: IToken[];
  Text: IToken[];
  AS?: IToken[];
  ROLE?: IToken[];
  roleName?: RoleNameCstNode[];
};

export interface AlteredRelayCstNode extends CstNode {
  name: "alteredRelay";
  children: AlteredRelayCstChildren;
}

export type AlteredRelayCstChildren = {
  RELAY: IToken[];
  relayName: RelayNameCstNode[];
  PAUSE?: IToken[];
  resumedRelay?: ResumedRelayCstNode[];
  rotatedRelay?: RotatedRelayCstNode[];
};

export interface ResumedRelayCstNode extends CstNode {
  name: "resumedRelay";
  children: ResumedRelayCstChildren;
}

export type ResumedRelayCstChildren = {
  RESUME: IToken[];
  FROM?: IToken[];
  NOW?: IToken[];
  SNAPSHOT?: IToken[];
};

export interface RotatedRelayCstNode extends CstNode {
  name: "rotatedRelay";
  children: RotatedRelayCstChildren;
}

export type RotatedRelayCstChildren = {
  ROTATE: IToken[];
  SECRET: IToken[];
  KEEP?: IToken[];
  duration?: DurationCstNode[];
};

export interface DroppedRelayCstNode extends CstNode {
  name: "droppedRelay";
  children: DroppedRelayCstChildren;
}

export type DroppedRelayCstChildren = {
  RELAY: IToken[];
  ifExists?: IfExistsCstNode[];
  relayName: RelayNameCstNode[];
};

export interface CreateStatementCstNode extends CstNode {
  name: "createStatement";
  children: CreateStatementCstChildren;
}

export type CreateStatementCstChildren = {
  CREATE: IToken[];
  newTable?: NewTableCstNode[];
  newIndex?: NewIndexCstNode[];
  newObserver?: NewObserverCstNode[];
  newSchedule?: NewScheduleCstNode[];
  newToken?: NewTokenCstNode[];
  newRole?: NewRoleCstNode[];
  newBlock?: NewBlockCstNode[];
  newRelay?: NewRelayCstNode[];
};

export interface DropStatementCstNode extends CstNode {
  name: "dropStatement";
  children: DropStatementCstChildren;
}

export type DropStatementCstChildren = {
  DROP: IToken[];
  droppedTable?: DroppedTableCstNode[];
  droppedIndex?: DroppedIndexCstNode[];
  droppedObserver?: DroppedObserverCstNode[];
  droppedSchedule?: DroppedScheduleCstNode[];
  droppedToken?: DroppedTokenCstNode[];
  droppedRole?: DroppedRoleCstNode[];
  block?: BlockCstNode[];
  droppedRelay?: DroppedRelayCstNode[];
};

export interface AlterStatementCstNode extends CstNode {
  name: "alterStatement";
  children: AlterStatementCstChildren;
}

export type AlterStatementCstChildren = {
  ALTER: IToken[];
  alteredTable?: AlteredTableCstNode[];
  alteredObserver?: AlteredObserverCstNode[];
  alteredSchedule?: AlteredScheduleCstNode[];
  alteredToken?: AlteredTokenCstNode[];
  alteredRole?: AlteredRoleCstNode[];
  alteredStore?: AlteredStoreCstNode[];
  alteredRelay?: AlteredRelayCstNode[];
};

export interface NewTableCstNode extends CstNode {
  name: "newTable";
  children: NewTableCstChildren;
}

export type NewTableCstChildren = {
  TABLE: IToken[];
  ifNotExists?: IfNotExistsCstNode[];
  tableName: TableNameCstNode[];
  LeftParenthesis: IToken[];
  primaryKeyClause?: PrimaryKeyClauseCstNode[];
  familyClause?: FamilyClauseCstNode[];
  uniqueClause?: UniqueClauseCstNode[];
  checkClause?: CheckClauseCstNode[];
  columnClause?: ColumnClauseCstNode[];
  Comma?: IToken[];
  RightParenthesis: IToken[];
};

export interface UniqueClauseCstNode extends CstNode {
  name: "uniqueClause";
  children: UniqueClauseCstChildren;
}

export type UniqueClauseCstChildren = {
  CONSTRAINT?: IToken[];
  constraintName?: ConstraintNameCstNode[];
  UNIQUE: IToken[];
  keyColumnList: KeyColumnListCstNode[];
};

export interface CheckClauseCstNode extends CstNode {
  name: "checkClause";
  children: CheckClauseCstChildren;
}

export type CheckClauseCstChildren = {
  CONSTRAINT?: IToken[];
  constraintName?: ConstraintNameCstNode[];
  CHECK: IToken[];
  LeftParenthesis: IToken[];
  expression: ExpressionCstNode[];
  RightParenthesis: IToken[];
};

export interface ConstraintNameCstNode extends CstNode {
  name: "constraintName";
  children: ConstraintNameCstChildren;
}

export type ConstraintNameCstChildren = {
  Name: IToken[];
};

export interface PrimaryKeyClauseCstNode extends CstNode {
  name: "primaryKeyClause";
  children: PrimaryKeyClauseCstChildren;
}

export type PrimaryKeyClauseCstChildren = {
  PRIMARY: IToken[];
  KEY: IToken[];
  keyColumnList: KeyColumnListCstNode[];
};

export interface FamilyClauseCstNode extends CstNode {
  name: "familyClause";
  children: FamilyClauseCstChildren;
}

export type FamilyClauseCstChildren = {
  FAMILY: IToken[];
  familyName: FamilyNameCstNode[];
  columnList: ColumnListCstNode[];
};

export interface ColumnClauseCstNode extends CstNode {
  name: "columnClause";
  children: ColumnClauseCstChildren;
}

export type ColumnClauseCstChildren = {
  columnName: ColumnNameCstNode[];
  typeName: TypeNameCstNode[];
  columnConstraint?: ColumnConstraintCstNode[];
};

export interface ColumnConstraintCstNode extends CstNode {
  name: "columnConstraint";
  children: ColumnConstraintCstChildren;
}

export type ColumnConstraintCstChildren = {
  PRIMARY?: IToken[];
  KEY?: IToken[];
  NOT?: IToken[];
  NULL?: IToken[];
  DEFAULT?: IToken[];
  defaultValue?: DefaultValueCstNode[];
  UNIQUE?: IToken[];
  checkClause?: CheckClauseCstNode[];
  identityClause?: IdentityClauseCstNode[];
};

export interface IdentityClauseCstNode extends CstNode {
  name: "identityClause";
  children: IdentityClauseCstChildren;
}

export type IdentityClauseCstChildren = {
  GENERATED: IToken[];
  ALWAYS?: IToken[];
  BY?: IToken[];
  DEFAULT?: IToken[];
  AS: IToken[];
  IDENTITY: IToken[];
  LeftParenthesis?: IToken[];
  START?: IToken[];
  WITH?: IToken[];
  wholeNumber?: WholeNumberCstNode[];
  RightParenthesis?: IToken[];
};

export interface WholeNumberCstNode extends CstNode {
  name: "wholeNumber";
  children: WholeNumberCstChildren;
}

export type WholeNumberCstChildren = {
  Sign?: IToken[];
  Integer: IToken[];
};

export interface DefaultValueCstNode extends CstNode {
  name: "defaultValue";
  children: DefaultValueCstChildren;
}

export type DefaultValueCstChildren = {
  Sign?: IToken[];
  NumberLiteral?: IToken[];
  Literal?: IToken[];
  Name?: IToken[];
  LeftParenthesis?: IToken[];
  RightParenthesis?: IToken[];
};

export interface DroppedTableCstNode extends CstNode {
  name: "droppedTable";
  children: DroppedTableCstChildren;
}

export type DroppedTableCstChildren = {
  TABLE: IToken[];
  ifExists?: IfExistsCstNode[];
  tableName: TableNameCstNode[];
};

export interface AlteredTableCstNode extends CstNode {
  name: "alteredTable";
  children: AlteredTableCstChildren;
}

export type AlteredTableCstChildren = {
  TABLE: IToken[];
  tableName: TableNameCstNode[];
  addedColumn?: AddedColumnCstNode[];
  addedCheck?: AddedCheckCstNode[];
  droppedColumn?: DroppedColumnCstNode[];
  droppedConstraint?: DroppedConstraintCstNode[];
  alteredColumn?: AlteredColumnCstNode[];
  renamedColumn?: RenamedColumnCstNode[];
  renamedTable?: RenamedTableCstNode[];
};

export interface AddedColumnCstNode extends CstNode {
  name: "addedColumn";
  children: AddedColumnCstChildren;
}

export type AddedColumnCstChildren = {
  ADD: IToken[];
  COLUMN: IToken[];
  columnClause: ColumnClauseCstNode[];
};

export interface DroppedColumnCstNode extends CstNode {
  name: "droppedColumn";
  children: DroppedColumnCstChildren;
}

export type DroppedColumnCstChildren = {
  DROP: IToken[];
  COLUMN: IToken[];
  columnName: ColumnNameCstNode[];
};

export interface AlteredColumnCstNode extends CstNode {
  name: "alteredColumn";
  children: AlteredColumnCstChildren;
}

export type AlteredColumnCstChildren = {
  ALTER: IToken[];
  COLUMN: IToken[];
  columnName: ColumnNameCstNode[];
  SET?: (IToken)[];
  DEFAULT?: (IToken)[];
  defaultValue?: DefaultValueCstNode[];
  NOT?: (IToken)[];
  NULL?: (IToken)[];
  DROP?: (IToken)[];
  RESTART?: IToken[];
  WITH?: IToken[];
  wholeNumber?: WholeNumberCstNode[];
};

export interface RenamedColumnCstNode extends CstNode {
  name: "renamedColumn";
  children: RenamedColumnCstChildren;
}

export type RenamedColumnCstChildren = {
  RENAME: IToken[];
  COLUMN: IToken[];
  columnName: (ColumnNameCstNode)[];
  TO: IToken[];
};

export interface RenamedTableCstNode extends CstNode {
  name: "renamedTable";
  children: RenamedTableCstChildren;
}

export type RenamedTableCstChildren = {
  RENAME: IToken[];
  TO: IToken[];
  tableName: TableNameCstNode[];
};

export interface AddedCheckCstNode extends CstNode {
  name: "addedCheck";
  children: AddedCheckCstChildren;
}

export type AddedCheckCstChildren = {
  ADD: IToken[];
  checkClause: CheckClauseCstNode[];
};

export interface DroppedConstraintCstNode extends CstNode {
  name: "droppedConstraint";
  children: DroppedConstraintCstChildren;
}

export type DroppedConstraintCstChildren = {
  DROP: IToken[];
  CONSTRAINT: IToken[];
  constraintName: ConstraintNameCstNode[];
};

export interface NewIndexCstNode extends CstNode {
  name: "newIndex";
  children: NewIndexCstChildren;
}

export type NewIndexCstChildren = {
  UNIQUE?: IToken[];
  INDEX: IToken[];
  ifNotExists?: IfNotExistsCstNode[];
  indexName: IndexNameCstNode[];
  ON: IToken[];
  tableName: TableNameCstNode[];
  LeftParenthesis: IToken[];
  indexPart: IndexPartCstNode[];
  Comma?: IToken[];
  RightParenthesis: IToken[];
  STORING?: IToken[];
  columnList?: ColumnListCstNode[];
};

export interface DroppedIndexCstNode extends CstNode {
  name: "droppedIndex";
  children: DroppedIndexCstChildren;
}

export type DroppedIndexCstChildren = {
  INDEX: IToken[];
  ifExists?: IfExistsCstNode[];
  indexName: IndexNameCstNode[];
};

export interface ScriptCstNode extends CstNode {
  name: "script";
  children: ScriptCstChildren;
}

export type ScriptCstChildren = {
  statement?: (StatementCstNode)[];
  Semicolon?: IToken[];
};

export interface StatementCstNode extends CstNode {
  name: "statement";
  children: StatementCstChildren;
}

export type StatementCstChildren = {
  beginStatement?: BeginStatementCstNode[];
  commitStatement?: CommitStatementCstNode[];
  rollbackStatement?: RollbackStatementCstNode[];
  dataStatement?: DataStatementCstNode[];
  explainStatement?: ExplainStatementCstNode[];
  checkStatement?: CheckStatementCstNode[];
  notifyStatement?: NotifyStatementCstNode[];
  createStatement?: CreateStatementCstNode[];
  alterStatement?: AlterStatementCstNode[];
  dropStatement?: DropStatementCstNode[];
  rotateStatement?: RotateStatementCstNode[];
  grantStatement?: GrantStatementCstNode[];
  revokeStatement?: RevokeStatementCstNode[];
  showStatement?: ShowStatementCstNode[];
  describeStatement?: DescribeStatementCstNode[];
};

export interface BeginStatementCstNode extends CstNode {
  name: "beginStatement";
  children: BeginStatementCstChildren;
}

export type BeginStatementCstChildren = {
  BEGIN: IToken[];
  READ?: IToken[];
  ONLY?: IToken[];
  asOf?: AsOfCstNode[];
};

export interface CommitStatementCstNode extends CstNode {
  name: "commitStatement";
  children: CommitStatementCstChildren;
}

export type CommitStatementCstChildren = {
  COMMIT: IToken[];
};

export interface RollbackStatementCstNode extends CstNode {
  name: "rollbackStatement";
  children: RollbackStatementCstChildren;
}

export type RollbackStatementCstChildren = {
  ROLLBACK: IToken[];
};

export interface ExplainStatementCstNode extends CstNode {
  name: "explainStatement";
  children: ExplainStatementCstChildren;
}

export type ExplainStatementCstChildren = {
  EXPLAIN: IToken[];
  ANALYZE?: IToken[];
  explainedStatement?: ExplainedStatementCstNode[];
  explainedScript?: ExplainedScriptCstNode[];
};

export interface ExplainedStatementCstNode extends CstNode {
  name: "explainedStatement";
  children: ExplainedStatementCstChildren;
}

export type ExplainedStatementCstChildren = {
  dataStatement?: DataStatementCstNode[];
  checkStatement?: CheckStatementCstNode[];
  notifyStatement?: NotifyStatementCstNode[];
};

export interface ExplainedScriptCstNode extends CstNode {
  name: "explainedScript";
  children: ExplainedScriptCstChildren;
}

export type ExplainedScriptCstChildren = {
  SCRIPT: IToken[];
  beginStatement?: BeginStatementCstNode[];
  explainedStatement?: ExplainedStatementCstNode[];
};

export interface ShowStatementCstNode extends CstNode {
  name: "showStatement";
  children: ShowStatementCstChildren;
}

export type ShowStatementCstChildren = {
  SHOW: IToken[];
  TABLES?: IToken[];
  OBSERVERS?: IToken[];
  SCHEDULES?: IToken[];
  TOKENS?: IToken[];
  ROLES?: IToken[];
  BLOCKS?: IToken[];
  RELAYS?: IToken[];
  GRANTS?: IToken[];
  FOR?: IToken[];
  roleName?: RoleNameCstNode[];
  INDEXES?: IToken[];
  FROM?: IToken[];
  tableName?: (TableNameCstNode)[];
  CREATE?: IToken[];
  TABLE?: IToken[];
};

export interface DescribeStatementCstNode extends CstNode {
  name: "describeStatement";
  children: DescribeStatementCstChildren;
}

export type DescribeStatementCstChildren = {
  DESCRIBE: IToken[];
  tableName: TableNameCstNode[];
};
