import { operations as data } from '../../operations/data.ts';
import { operations as ingest } from '../../operations/ingest.ts';
import { operations as nodes } from '../../operations/nodes.ts';
import * as file from '../../shapes/file.ts';
import { fileEntry } from '../../shapes/admin-agent.ts';
import { exportQuery } from '../../shapes/graph-export.ts';
import { graphOperation, ingestSummary } from '../../shapes/graph-operation.ts';
import * as node from '../../shapes/node.ts';
import { nodeReference } from '../../shapes/node-reference.ts';
import * as write from '../../shapes/node-write.ts';
import * as change from '../../shapes/schema-change.ts';
import * as schema from '../../shapes/schema-document.ts';
import { texts } from './property-texts.ts';

const FIELDS = 'Values by the name of the field; null removes the field.';
const NODE_TIME = 'Time of the node: ISO 8601, or milliseconds since 1970 (UTC).';
const EDGE_TIME = 'Time of the edge: ISO 8601, or milliseconds since 1970 (UTC).';
const ALIASES =
  'All names that other systems give the node. They are kept; nothing is looked up by them.';
const EDGE = 'Name of the edge type.';

/** Nodes, edges, files and the schema. */
export const graphTexts = [
  ...texts(nodeReference, {
    uid: 'UID of the node.',
    type: 'Name of the type of the node.',
    key: 'Key or alias of the node, which is unique within its type.',
  }),
  ...texts(node.nodeObject, {
    UID: 'UID of the node: 22 letters and digits that never change.',
    Type: 'Name of the type of the node.',
    Timestamp: 'Time of the node (ISO 8601, UTC): given by who wrote it, or that of the creation.',
    Id: 'Key of the node, unique within its type; absent if it has none.',
  }),
  ...texts(nodes.getNode.params, { uid: 'UID of the node.' }),
  ...texts(nodes.getNodeHistory.params, { uid: 'UID of the node.' }),
  ...texts(data.updateNode.params, { uid: 'UID of the node.' }),
  ...texts(node.nodeQuery, {
    uids: 'Nodes to list, in this order, each by UID, `{uid}` or `{type, key}`.',
    type: 'Name of the type whose nodes to list, newest first; with `uids` it filters them.',
    skip: 'How many nodes to pass over.',
    take: 'How many nodes to answer at most.',
  }),
  ...texts(node.manyNodes, { uids: 'Nodes to read, each by UID, `{uid}` or `{type, key}`.' }),
  ...texts(node.manyFields, {
    uids: 'Nodes to read, each by UID, `{uid}` or `{type, key}`.',
    field: 'Name of the field to read; either this or `template`.',
    template:
      'Text with names of fields in braces, `{FirstName} {LastName}`; a brace itself is written twice.',
  }),
  ...texts(node.nodeSelection, {
    uids: 'Nodes to download, in this order, each by UID, `{uid}` or `{type, key}`.',
    type: 'Name of the type whose nodes to download; with `uids` it filters them.',
    fields: 'Names of the fields to add after the fixed columns; by default every field.',
  }),
  ...texts(node.downloadQuery, {
    baseURL:
      'Address of the workspace that the column Link begins with; by default links are relative.',
  }),
  ...texts(exportQuery, {
    format: 'Format of the file; by default `jsonl`: operations, one on each line.',
    as: 'UID or name of a user: the file has only what that user sees.',
  }),
  ...texts(node.syntheticNodes, {
    nodes: [
      'Nodes that are stored nowhere, each with whatever fields.',
      { Timestamp: 'Time of the node (ISO 8601).' },
    ],
  }),
  ...texts(node.fieldChange, {
    field: 'Name of the field; `Timestamp` is one, too.',
    before: 'Value before the change; null if there was none, or if it is too large to be told.',
    after: 'Value after the change; null if there is none, or if it is too large to be told.',
    beforeBytes: 'Bytes of the value before, if it is too large to be told.',
    afterBytes: 'Bytes of the value after, if it is too large to be told.',
  }),
  ...texts(node.nodeVersion, {
    version: 'Number of the version, from 1; null to whoever may not read all fields of the node.',
    sequence: 'Sequence of the commit that made it; null for the first version that is kept.',
    timestamp: 'When the change was made (ISO 8601, UTC), which is not the time of the node.',
    actor: 'The user who made the change; null if that is not known.',
    changes: 'The fields that changed.',
  }),
  ...texts(write.newNode, {
    type: 'Name of the type of the node; the schema must have it.',
    key: 'Key of the node, unique within its type. It may also stand among the fields, under the name that the schema gives it.',
    fields: FIELDS,
    timestamp: NODE_TIME,
    aliases: ALIASES,
    links: [
      'Edges to create with the node, each with either `to` or `from`.',
      {
        edge: EDGE,
        to: 'Node that the edge leads to.',
        from: 'Node that the edge comes from.',
        fields: 'Values of the edge by the name of the field.',
        timestamp: EDGE_TIME,
      },
    ],
  }),
  ...texts(write.nodeRestoration, {
    version: 'Number of the version whose values the node gets.',
    ifVersion: 'Version that the node must be at, else `version_conflict`; by default any.',
  }),
  ...texts(write.nodeChange, {
    timestamp: NODE_TIME,
    fields: FIELDS,
    ifVersion: 'Version that the node must be at, else `version_conflict`; by default any.',
  }),
  ...texts(write.nodeDeletion, {
    ifVersion: 'Version that the node must be at, else `version_conflict`; 0 for any.',
  }),
  ...texts(write.nodeMatch, {
    'if-match':
      '`*`, or the `ETag` that `GET /api/node/{uid}` answers, such as `"3"`: at any other version the request is refused with `version_conflict`. The same as `ifVersion`.',
  }),
  ...texts(write.nodeLinks, {
    ifVersion: 'Version that the node must be at, else `version_conflict`; by default any.',
    add: 'Edges to create, each with either `to` or `from`.',
    remove: [
      'Edges to remove, each with either `to` or `from`.',
      {
        edge: EDGE,
        to: 'Node that the edge leads to.',
        from: 'Node that the edge comes from.',
      },
    ],
  }),
  ...texts(write.linkedEdges, {
    added: 'How many edges were created, inverse edges included.',
    removed: 'How many edges were removed, inverse edges included.',
  }),
  ...texts(write.nodeAtVersion, {
    uid: 'UID of the node.',
    type: 'Name of the type of the node.',
    key: 'Key or alias of the node, which is unique within its type.',
    ifVersion: 'Version that the node must be at, else its outcome is `version_conflict`.',
  }),
  ...texts(write.manyNodesChange, {
    uids: 'Nodes to change, each by UID, `{uid}` or `{type, key}`; with `ifVersion` only at this version.',
    change: [
      'What to do with each of the nodes.',
      {
        delete: 'Deletes the nodes with their edges and files.',
        add: 'Creates one edge between each node and another.',
        remove: 'Removes one edge between each node and another.',
        access: [
          'Restricts the nodes; what is left out stays as it is.',
          {
            teams: 'UIDs of all teams that the nodes are restricted to from now on.',
            users: 'UIDs of all users whom the nodes are restricted to from now on.',
          },
        ],
      },
    ],
  }),
  ...texts(write.manyNodesOutcome, {
    done: 'How many nodes were changed.',
    outcomes: [
      'What became of each node, in the order of the request.',
      {
        uid: 'UID of the node, or what the request named it by.',
        done: 'Whether the node was changed.',
        error: 'Why the node was not changed; absent if it was.',
      },
    ],
  }),
  ...texts(write.writtenNode, {
    node: 'The node as the caller may see it.',
    version: 'Number of its version, which `ifVersion` is compared with.',
  }),
  ...texts(write.nodeRecord, {
    node: 'The node as the caller may see it.',
    version:
      'Number of its version, which `ifVersion` is compared with; null for whoever may neither write the node nor read all of its fields.',
    mayWrite: 'Whether the caller may change and delete the node.',
    aliases: 'Names that other systems give the node; only for whoever may write it.',
    edges: [
      'Edges between the node and nodes that the caller sees, counted by type and direction.',
      {
        edge: EDGE,
        direction: '`out` if the edges begin at the node, `in` if they end at it.',
        count: 'How many such edges there are.',
      },
    ],
    files: 'How many files the node has.',
  }),
  ...texts(write.nodeTypes, {
    types: [
      'Types that the caller sees nodes of, or may write.',
      {
        type: 'Name of the type.',
        count: 'How many nodes of the type the caller sees.',
        mayWrite: 'Whether the caller may write nodes of the type.',
        key: 'Name under which a node also shows its key.',
        label: 'Field that names a node for people.',
        timestamp: 'Field that gives a node its time.',
        fields: 'Types of the fields that the caller may read, by name.',
        indexes: 'Fields of each index that is ready, in order.',
      },
    ],
    edges: [
      'Edge types; empty for whoever may write nothing.',
      {
        type: EDGE,
        inverse: 'Edge type that is created and removed with it, in the other direction.',
        fields: 'Types of the fields of an edge, by name.',
      },
    ],
  }),
  ...texts(schema.schemaAlias, {
    type: 'Name that the type has now.',
    edge: 'Name that the edge type has now.',
    field: 'Name that the field has now, if the alias is one of a field.',
    alias: 'The former name.',
  }),
  ...texts(change.schemaChange, {
    rename: [
      'What gets another name: a type, an edge type, or a field of either.',
      {
        type: 'Name of the type, or of the type that the field is of.',
        edge: 'Name of the edge type, or of the edge type that the field is of.',
        field: 'Name of the field; as `Type.Field` where neither `type` nor `edge` is given.',
        to: 'The new name.',
      },
    ],
    retype: [
      'A field of a node type that gets another type; its values are converted as they are read.',
      {
        type: 'Name of the type that the field is of.',
        field: 'Name of the field; as `Type.Field` where `type` is not given.',
        to: 'The new type of the field.',
      },
    ],
    drop: [
      'What is dropped: a type, an edge type with its inverse, or a field of either.',
      {
        type: 'Name of the type, or of the type that the field is of.',
        edge: 'Name of the edge type, or of the edge type that the field is of.',
        field: 'Name of the field; as `Type.Field` where neither `type` nor `edge` is given.',
      },
    ],
  }),
  ...texts(change.schemaChangeMade, {
    restore: [
      'What an undo has brought back: a type, an edge type, or a field of either.',
      {
        type: 'Name of the type, or of the type that the field is of.',
        edge: 'Name of the edge type, or of the edge type that the field is of.',
        field: 'Name of the field; as `Type.Field` where neither `type` nor `edge` is given.',
      },
    ],
  }),
  ...texts(change.schemaChangeRequest, {
    changes: 'What to change, one after the other, as one commit.',
    dryRun: 'Whether to answer what would break, and change nothing.',
    force: 'Whether to change it although it breaks something; then nothing is checked.',
  }),
  ...texts(change.schemaBreak, {
    kind: 'Kind of what breaks.',
    name: 'Name of what breaks.',
    why: 'Why it breaks.',
    diagnostics: 'What the compiler says of code against the schema as it would be.',
  }),
  ...texts(change.schemaChangeOutcome, {
    id: 'Id of the change, for an undo; absent for a dry run.',
    sequence: 'Sequence of the commit; absent for a dry run.',
    breaks: 'What breaks; empty if the change was forced, which checks nothing.',
    nodes: 'How many nodes are of the types that change.',
    edges:
      'How many edges are of the edge types that change, or at nodes of a type that is dropped.',
    lossy: 'Whether data is shown no more, or otherwise than before. A rename loses none.',
    lostValues: 'How many values of nodes are shown no more, or as other ones than before.',
  }),
  ...texts(change.schemaChangeRecord, {
    id: 'Id of the change.',
    at: 'When it was made (ISO 8601, UTC).',
    by: [
      'Who made it; null for a token without a user.',
      { uid: 'UID of the user.', name: 'Name that the user signs in with.' },
    ],
    changes: 'What was changed.',
    forced: 'Whether it was made without a check of what breaks.',
    undoes: 'Id of the change that this one takes back; null for others.',
    undoneBy: 'Id of the change that has taken it back; null if there is none.',
  }),
  ...texts(change.schemaChangeInPath, { id: 'Id of the change.' }),
  ...texts(ingest.ingest.documentedBody, {
    operations: 'Operations, carried out in order as one commit: all of them or none.',
  }),
  ...texts(graphOperation, {
    op: 'What to do; it decides which other members there are.',
    type: 'Name of the type of the node; with `key` it names the node.',
    key: 'Key of the node, unique within its type.',
    uid: 'UID of the node, instead of `type` and `key`.',
    fields: FIELDS,
    timestamp: 'Time of the node or edge: ISO 8601, or milliseconds since 1970 (UTC).',
    aliases: ALIASES,
    ifVersion:
      'Refused with `version_conflict` unless the node is at this version; 0: unless it does not exist. Of an edge it is the node that it begins at, of a restriction `node`, of a membership `team`.',
    from: 'Node that the edge begins at.',
    edge: EDGE,
    inverse: 'Edge type to create or remove with it, in the other direction.',
    to: 'Node that the edge leads to.',
    keep: 'Nodes whose edge stays; the other edges of this type from the node are removed.',
    node: 'Node to restrict, or whose restriction to lift.',
    team: 'The team: a node of the type `_AccessGroup`.',
    user: 'The user: a node of the type `_User`.',
    member: 'A user or a team to add or remove, instead of `user`.',
  }),
  ...texts(ingestSummary, {
    nodes: 'How many nodes were created, changed or deleted.',
    created: 'How many of these nodes are new.',
    edges: 'How many edges were created or removed, inverse edges included.',
    splits:
      'How many of these nodes were one of several that had been merged: it was split off and deleted, and the others stayed.',
    commits: 'How many commits it took: one for a JSON body, one for each 10,000 lines of NDJSON.',
    sequence: 'Sequence of the last commit; later reads with `X-MSK-Min-Sequence` reflect it.',
  }),
  ...texts(schema.schemaDocument, {
    nodes: [
      'Types of nodes.',
      {
        type: 'Name of the type.',
        key: 'Name under which a node also shows its key; a String.',
        fields: 'Types of the fields, by name.',
        timestamp: 'Field of the type Time that gives the node its time.',
        label: 'Field that names a node for people.',
        indexes: [
          'Field indexes of the type.',
          {
            field: 'The one field of the index; either this or `fields`.',
            fields: 'The fields of the index in their order, if it has several.',
            unique: 'Whether no two nodes of the type may share the value; by default they may.',
            state: 'Whether queries use the index already. Ignored in a request.',
            entries: 'How many values the index holds. Ignored in a request.',
          },
        ],
      },
    ],
    edges: [
      'Types of edges.',
      {
        type: EDGE,
        inverse: 'Edge type that is created and removed with it, in the other direction.',
        fields: 'Types of the fields of an edge, by name.',
      },
    ],
    aliases: 'Former names that reads still take; absent if there are none. Ignored in a request.',
  }),
  ...texts(schema.indexReference, {
    type: 'Name of the type that the index is of.',
    field: 'The one field of the index; either this or `fields`.',
    fields: 'The fields of the index in their order, if it has several.',
  }),
  ...texts(file.fileInPath, { uid: 'UID of the node or of the file that the path names.' }),
  ...texts(file.uploadInPath, { id: 'Id of the upload, from when it was begun.' }),
  ...texts(file.uploadOffset, {
    'upload-offset': 'Where in the file the bytes begin that are sent: the `offset` of the upload.',
  }),
  ...texts(fileEntry, {
    UID: 'UID of the file.',
    Size: 'Size of the file in bytes.',
    ContentType: 'Media type that the file was uploaded with.',
  }),
  ...texts(file.namedFileEntry, { Name: 'Name of the file, without a folder.' }),
  ...texts(file.nodeFile, {
    Sha256: 'SHA-256 of the content, hexadecimal.',
    Timestamp: 'When the file was uploaded (ISO 8601, UTC).',
    UploadedBy: 'UID of the user who uploaded it; null for a token without a user.',
    TextState:
      'Whether there is text of the file to search: `pending` until it was looked for, `unsupported` for a kind of file that has none.',
    TextError: 'Why there is no text of the file, or not all of it; else null.',
  }),
  ...texts(file.newFileUpload, {
    name: 'Name of the file, without a folder.',
    size: 'Size of the whole file in bytes.',
    contentType: 'Media type of the file; by default `application/octet-stream`.',
  }),
  ...texts(file.fileUpload, {
    id: 'Id of the upload.',
    offset: 'Bytes that have arrived: the next ones begin here.',
    size: 'Size of the whole file in bytes.',
    name: 'Name of the file.',
    contentType: 'Media type of the file.',
    expiresAt: 'When the upload is dropped unless more arrives before (ISO 8601, UTC).',
    file: 'The file, after its last byte; null before.',
  }),
];
