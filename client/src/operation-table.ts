/**
 * The operations that the SDK calls: method, path, what it sends, how the answer is read, and
 * whether replicas answer. Derived from the contract by tools/operation-table.ts; not to be edited.
 */
export const OPERATION_TABLE = {
  access: {
    /** Read who may see the nodes and fields of each type. */
    getTypes: 'GET /api/access/types json replicas',
    /** Replace the rules of all types. */
    putTypes: 'PUT /api/access/types body json',
    /** Explain why a user, by UID or name, sees a node or does not. */
    explain: 'GET /api/access/explain query json replicas',
    /** Read whom a node is restricted to: as its owner or an administrator. */
    getNode: 'GET /api/access/nodes/{uid} json replicas',
    /** Say whom a node is restricted to: as its owner or an administrator. */
    putNode: 'PUT /api/access/nodes/{uid} body json',
    /** Find the UIDs of users, by name or address, and of teams, by name, to restrict nodes to. */
    resolvePrincipals: 'POST /api/access/principals body json replicas',
  },
  adminAgent: {
    /** Begin a conversation with the admin agent. */
    createSession: 'POST /api/admin-agent/sessions json',
    /** List your own conversations with the admin agent. */
    listSessions: 'GET /api/admin-agent/sessions query json',
    /** Read a conversation of your own with what it proposes. */
    getSession: 'GET /api/admin-agent/sessions/{id} json',
    /** Delete a conversation and its files. */
    deleteSession: 'DELETE /api/admin-agent/sessions/{id} none',
    /** Ask the admin agent, which reads definitions and proposes changes of them. */
    send: 'POST /api/admin-agent/sessions/{id}/messages body json',
    /** Upload a file that the admin agent reads. */
    uploadFile: 'POST /api/admin-agent/sessions/{id}/uploads body special',
    /** Do what the admin agent has proposed. */
    approveCommit: 'POST /api/admin-agent/sessions/{id}/commit/approve body special',
    /** Drop what the admin agent has proposed. */
    rejectCommit: 'POST /api/admin-agent/sessions/{id}/commit/reject none',
  },
  agents: {
    /** List the agents that the caller may run. */
    list: 'GET /api/chatai/agents query json',
    /** Make an agent: instructions for a model, with the tools that it may call. */
    create: 'POST /api/chatai/agents body json',
    /** Read an agent with its instructions. */
    get: 'GET /api/chatai/agents/{name} json',
    /** Change an agent; what is left out stays as it is. */
    put: 'PUT /api/chatai/agents/{name} body json',
    /** Delete an agent. */
    delete: 'DELETE /api/chatai/agents/{name} none',
    /** Run an agent as the caller; whether it went well is in the status of the run. */
    run: 'POST /api/chatai/agents/{name}/run body json',
    /** List runs of agents: the caller's own, and all of them for administrators. */
    listRuns: 'GET /api/chatai/agent-runs query json',
    /** Read a run of an agent, with what was said and which tools were called. */
    getRun: 'GET /api/chatai/agent-runs/{uid} json',
    /** End a run of an agent; one that has ended stays as it is. */
    cancelRun: 'POST /api/chatai/agent-runs/{uid}/cancel json',
  },
  aiProviders: {
    /** Read which servers are asked for what models do. */
    get: 'GET /api/chatai/providers json replicas',
    /** Say which servers are asked for what models do; what is left out stays as it is. */
    put: 'PUT /api/chatai/providers body json',
  },
  assistant: {
    /** Read what every model of the assistant is told, and which one judges answers. */
    getSettings: 'GET /api/chatai/settings json replicas',
    /**
     * Say what every model of the assistant is told, and which one judges answers; what is left out
     * stays as it is.
     */
    putSettings: 'PUT /api/chatai/settings body json',
  },
  audit: {
    /** List who signed in, and who changed users, teams, tokens, access and settings. */
    list: 'GET /api/audit query json replicas',
  },
  backups: {
    /** Begin a backup of the workspace, while it goes on. */
    run: 'POST /api/admin/backup/run json',
    /** List the backups of the workspace. */
    list: 'GET /api/admin/backups query json',
    /** Restore a backup beside the workspace and compare it with what it was made of. */
    verify: 'POST /api/admin/backups/{id}/verify json',
    /** Delete a backup, for good. */
    delete: 'DELETE /api/admin/backups/{id} none',
  },
  build: {
    /** Tell which code does not compile. */
    getCompileStatus: 'GET /api/build/compile-status json replicas',
    /** List everything that the Build tree draws, without source and without compiling. */
    getCatalog: 'GET /api/build/catalog json replicas',
    /** Give the types that the code of endpoints is checked against. */
    getTypes: 'GET /api/build/types query text replicas',
    /** Give the node types, and what endpoints take and answer, as a module for programs. */
    getProgramTypes: 'GET /api/build/program-types text replicas',
    /** Tell which JSON an endpoint takes and answers. */
    getEndpointTypes: 'GET /api/build/endpoint-types/{+name} json replicas',
    /** List the last runs of an endpoint on this server: who, status, time and size. */
    listEndpointCalls: 'GET /api/build/endpoint-calls/{+name} json',
    /** Read the trace of a call of an endpoint: what it read, wrote and waited for, and when. */
    getCallTrace: 'GET /api/build/call-traces/{id} json',
    /** Run code that is not saved, in the read-only scope. */
    runDraft: 'POST /api/build/run-draft body json',
  },
  chats: {
    /** Say something to the assistant, in a new conversation or in one that there is. */
    send: 'POST /api/chatai/chat body json',
    /** Tell which models and tools a turn of the caller may name. */
    getOptions: 'GET /api/chatai/options json',
    /** Begin a conversation before anything is said in it. */
    create: 'POST /api/chatai/chats body json',
    /** List the caller's conversations with the assistant. */
    list: 'GET /api/chatai/chats query json',
    /** Read a conversation, with what its citations and tools show to the caller now. */
    get: 'GET /api/chatai/chats/{uid} json',
    /** Give a conversation another title. */
    put: 'PUT /api/chatai/chats/{uid} body json',
    /** Delete a conversation; an answer that is under way is stopped. */
    delete: 'DELETE /api/chatai/chats/{uid} none',
    /** Watch the answer that is under way, such as after a page was loaded again. */
    watch: 'GET /api/chatai/chats/{uid}/events special',
    /** Stop the answer that is under way; what was said so far is kept. */
    stop: 'POST /api/chatai/chats/{uid}/stop none',
    /**
     * Say what is thought of an answer, which shows the conversation up to it to administrators, or
     * take it back.
     */
    putFeedback: 'PUT /api/chatai/chats/{uid}/messages/{messageUID}/feedback body none',
    /** List what users think of answers. */
    listFeedback: 'GET /api/chatai/feedback query json replicas',
    /** Read the conversation that a user shows by rating an answer. */
    getFeedback: 'GET /api/chatai/feedback/{messageUID} json',
  },
  codeHistory: {
    /** List who changed which code when. */
    list: 'GET /api/code/history/all query json replicas',
    /** List the changes of one item of code, which may be deleted. */
    listItem: 'GET /api/code/history/item/{kind}/{+name} query json replicas',
    /** Read one version of an item of code. */
    getVersion: 'GET /api/code/history/version/{kind}/{+name} query json replicas',
    /** Compare the text of two versions of an item of code. */
    diff: 'GET /api/code/history/diff/{kind}/{+name} query json replicas',
    /** Make a new version with the code and the settings of an old one. */
    restore: 'POST /api/code/history/restore/{kind}/{+name} body json',
    /** Run two versions of an endpoint with the same body, in the read-only scope. */
    compare: 'POST /api/code/history/compare/{kind}/{+name} body json',
    /** List the last bodies that an endpoint was called with, if they are recorded. */
    listRecordedInputs: 'GET /api/code/history/inputs/{kind}/{+name} json',
    /** Switch the recording of the bodies of an endpoint on or off. */
    recordInputs: 'PUT /api/code/history/inputs/{kind}/{+name} body json',
  },
  connectors: {
    /** List the sources that the server brings into the workspace, and how that went last. */
    list: 'GET /api/connectors query json',
    /** Set up a source that the server brings into the workspace. */
    create: 'POST /api/connectors body json',
    /** Try to reach a source, without bringing anything. */
    test: 'POST /api/connectors/test body json',
    /** Get a connector, with its last run. */
    get: 'GET /api/connectors/{id} json',
    /** Replace the settings of a connector; a secret that is left out stays. */
    update: 'PUT /api/connectors/{id} body json',
    /** Delete a connector that is not running, its secret, its memory and its runs. */
    delete: 'DELETE /api/connectors/{id} none',
    /** Bring what has changed in the source now. */
    run: 'POST /api/connectors/{id}/run body json',
    /** End the run that is under way; the next one goes on from what is committed. */
    cancel: 'POST /api/connectors/{id}/cancel json',
    /** List the last runs of a connector: what changed in each, and what was refused. */
    runs: 'GET /api/connectors/{id}/runs query json',
    /** Compare who may see what a connector brought at the source and here. */
    access: 'GET /api/connectors/{id}/access query json',
  },
  deepResearch: {
    /** Have a question studied at length; the report comes into the chat. */
    start: 'POST /api/chatai/deep-research/start body json',
    /** Tell of the research that is under way or waiting in a chat. */
    get: 'GET /api/chatai/chats/{uid}/deep-research json',
    /** Tell how far researches may go, who does them, and which are under way. */
    getSettings: 'GET /api/chatai/deep-research/settings json',
    /** Change limits and researchers; zero, or an empty list, brings back the default. */
    putSettings: 'POST /api/chatai/deep-research/settings body json',
    /** Stop the research that is under way or waiting in a chat. */
    cancel: 'POST /api/chatai/deep-research/cancel query json',
  },
  definitions: {
    /** Export everything custom of the workspace as a zip: schema, endpoints, settings. */
    export: 'GET /api/graph/export-definitions bytes replicas',
    /** Import what was exported, all of it or nothing: creates and changes what differs. */
    import: 'POST /api/graph/import-definitions body query special',
  },
  deployments: {
    /** List the states of the definitions that can be brought back, and who made them. */
    list: 'GET /api/deployments query json replicas',
    /** Read one deployment: who made it, when, and what it changed. */
    get: 'GET /api/deployments/{id} json replicas',
    /** Make the definitions what they were after a deployment, as a new one. */
    rollBack: 'POST /api/deployments/{id}/rollback query special',
  },
  documents: {
    /** Read files and texts, and propose nodes and edges of your schema, as a job. */
    extract: 'POST /api/documents/extractions body json',
    /** List what was read out of documents. */
    extractions: 'GET /api/documents/extractions query json replicas',
    /** Read how far each document is, and what of it was decided. */
    extraction: 'GET /api/documents/extractions/{id} json replicas',
    /** Go on after a cancellation, a failure, or with more tokens; nothing is read twice. */
    resume: 'POST /api/documents/extractions/{id}/resume body json',
    /** Delete an extraction and its proposals. */
    deleteExtraction: 'DELETE /api/documents/extractions/{id} none',
    /** List the nodes and edges that are proposed, with the quotes that they rest on. */
    proposals: 'GET /api/documents/extractions/{id}/proposals query json replicas',
    /** Write proposed nodes and edges, with edges to the documents that say so. */
    approve: 'POST /api/documents/extractions/{id}/approve body json',
    /** Say no to proposed nodes and edges. */
    reject: 'POST /api/documents/extractions/{id}/reject body json',
    /** Change the key or values of a proposal before it is approved. */
    changeProposal: 'PUT /api/documents/proposals/{id} body json',
    /** Read what stands around the quote of a proposal. */
    proposalText: 'GET /api/documents/proposals/{id}/text json replicas',
  },
  duplicates: {
    /** Look for nodes of a type that may be one thing, as a job. */
    find: 'POST /api/duplicates/find body json',
    /** List pairs of nodes that may be one thing, with a score and why. */
    list: 'GET /api/duplicates query json replicas',
    /** Say that two nodes are two things; searches remember it. */
    dismiss: 'POST /api/duplicates/{id}/dismiss json',
    /** Take back that two nodes are two things. */
    reopen: 'POST /api/duplicates/{id}/reopen json',
    /** Make one node of two, as one commit; the UID and the key of both lead to it. */
    merge: 'POST /api/duplicates/merge body json',
    /** List the merges that can be taken back. */
    merges: 'GET /api/duplicates/merges query json replicas',
    /** Take a merge back, as one commit. */
    split: 'POST /api/duplicates/merges/{id}/split json',
    /** List what is compared of each type, and what is merged without asking. */
    rules: 'GET /api/duplicates/rules json replicas',
    /** Say what is compared of a type, and from which score on a search merges by itself. */
    putRule: 'PUT /api/duplicates/rules/{type} body json',
    /** Delete the rule of a type. */
    deleteRule: 'DELETE /api/duplicates/rules/{type} none',
  },
  embeddings: {
    /** Read the vectors of nodes. */
    get: 'POST /api/embeddings/uids body json replicas',
    /** Find the nodes that are the most similar to one, by their vectors. */
    getSimilar: 'GET /api/embeddings/similar/{uid} query json replicas',
    /** Find the nodes that are the most similar to one, by their vectors (the same). */
    findSimilar: 'POST /api/embeddings/similar/{uid} query json replicas',
  },
  endpoints: {
    /** Create a custom endpoint. */
    create: 'POST /api/endpoints/create body json',
    /** List the custom endpoints. */
    list: 'GET /api/endpoints query json replicas',
    /** Read one custom endpoint. */
    get: 'GET /api/endpoints/{+name} json replicas',
    /** Change a custom endpoint; what the body leaves out stays as it is. */
    put: 'PUT /api/endpoints/{+name} body json',
    /** Delete a custom endpoint. */
    delete: 'DELETE /api/endpoints/{+name} none',
    /** Compile code against the live schema without saving it. */
    check: 'POST /api/endpoints/check body json replicas',
    /** Run a custom endpoint. */
    run: 'POST /api/endpoints/run/{+name} body special replicas',
    /** Run a custom endpoint (the path that the front end uses). */
    runAlias: 'POST /api/cce/{+name} body special replicas',
    /** Run a custom endpoint with an endpoint token. */
    runWithToken: 'POST /api/endpoints/token/run/{+name} body special replicas',
    /** Watch the answer of a read-only endpoint. */
    watch: 'POST /api/endpoints/live/{+name} body special replicas',
    /** Watch the answer of a read-only endpoint with an endpoint token. */
    watchWithToken: 'POST /api/endpoints/token/live/{+name} body special replicas',
    /** Cancel a run of mode "pooling". */
    cancelRun: 'DELETE /api/endpoints/run/{+name} special replicas',
    /** Cancel a run of mode "pooling" (the path that the front end uses). */
    cancelRunAlias: 'DELETE /api/cce/{+name} special replicas',
    /** Cancel a run of mode "pooling" with an endpoint token. */
    cancelRunWithToken: 'DELETE /api/endpoints/token/run/{+name} special replicas',
    /** Search what endpoints have logged on this server. */
    listLogs: 'GET /api/endpoints/logs query json',
    /** Watch what endpoints log on this server. */
    watchLogs: 'GET /api/endpoints/logs/live query special',
    /** Tell how often each endpoint was called, how it ended and how long it took. */
    getMetrics: 'GET /api/endpoints/metrics json',
  },
  files: {
    /** List the files of a node. */
    list: 'GET /api/node/{uid}/files query json replicas',
    /** Upload a file to a node. */
    upload: 'POST /api/node/{uid}/files body special',
    /** Read what is known of a file, without its content. */
    get: 'GET /api/files/{uid} json replicas',
    /** Download a file, or a part of it. */
    download: 'GET /api/files/{uid}/content bytes replicas',
    /** Delete a file. */
    delete: 'DELETE /api/files/{uid} none',
    /** Begin an upload to a node that may be interrupted. */
    createUpload: 'POST /api/node/{uid}/uploads body json',
    /** Read how far an upload of your own is. */
    getUpload: 'GET /api/uploads/{id} json',
    /** Send the next bytes of an upload, any number of them; the last one makes the file. */
    appendUpload: 'PATCH /api/uploads/{id} body special',
    /** Give up an upload of your own. */
    deleteUpload: 'DELETE /api/uploads/{id} none',
  },
  goldenAnswers: {
    /** List the sets of golden answers: questions with what their answers must say. */
    list: 'GET /api/chatai/golden-sets json replicas',
    /** Read a set of golden answers. */
    get: 'GET /api/chatai/golden-sets/{name} json replicas',
    /** Make a set of golden answers, or replace its questions; its runs stay. */
    put: 'PUT /api/chatai/golden-sets/{name} body json',
    /** Delete a set of golden answers. */
    delete: 'DELETE /api/chatai/golden-sets/{name} none',
    /** Ask the questions of a set as their users, and measure the answers. */
    run: 'POST /api/chatai/golden-sets/{name}/run body json',
    /** List the last runs of a set of golden answers. */
    listRuns: 'GET /api/chatai/golden-sets/{name}/runs json replicas',
    /** Read a run with its answers, compared with an earlier one. */
    getRun: 'GET /api/chatai/golden-sets/{name}/runs/{run} query json replicas',
    /** Say of nuggets and sentences of a run what is right. */
    label: 'POST /api/chatai/golden-sets/{name}/label body json',
  },
  goldenSets: {
    /** List the golden sets: queries with the nodes that they should find. */
    list: 'GET /api/search/golden-sets json replicas',
    /** Read a golden set. */
    get: 'GET /api/search/golden-sets/{name} json replicas',
    /** Make a golden set, or replace its queries; its runs stay. */
    put: 'PUT /api/search/golden-sets/{name} body json',
    /** Delete a golden set. */
    delete: 'DELETE /api/search/golden-sets/{name} none',
    /** Search the queries of a golden set, and compare the hits with those of its last run. */
    run: 'POST /api/search/golden-sets/{name}/run json',
    /** List the last runs of a golden set. */
    listRuns: 'GET /api/search/golden-sets/{name}/runs json replicas',
  },
  graph: {
    /** Create, change, delete and link nodes. */
    ingest: 'POST /api/ingest body json',
    /** Download the whole graph, as it is or as one user sees it. */
    export: 'POST /api/graph/export query bytes replicas',
  },
  interfaces: {
    /** List the custom interfaces that were uploaded. */
    list: 'GET /api/interfaces query json replicas',
    /** Upload a custom interface, or a new version of one. */
    put: 'PUT /api/interfaces/{name} body special',
    /** Delete a custom interface that is not the chosen one. */
    delete: 'DELETE /api/interfaces/{name} none',
  },
  jobs: {
    /**
     * List the long pieces of work that are under way or were done; users see those of their own.
     */
    list: 'GET /api/jobs query json',
    /** Tell how far a job is; users see those of their own. */
    get: 'GET /api/jobs/{id} json',
    /** Ask a job to end before its work is done; users those of their own. */
    cancel: 'POST /api/jobs/{id}/cancel json',
    /** Watch a job until it has ended; users those of their own. */
    watch: 'GET /api/jobs/{id}/events special',
  },
  llm: {
    /**
     * List what was used of models, by day, token, feature and model, of the last 31 days; and what
     * is left of the day.
     */
    listUsage: 'GET /api/llm/usage query json',
    /** Read what teams may use of models in a month, and what they have used. */
    getBudgets: 'GET /api/llm/budgets json',
    /** Say what models cost, and what teams may use in a month, in tokens and money. */
    putBudgets: 'PUT /api/llm/budgets body json',
    /** Read whether the provider of chat answers, and what was wrong when it did not. */
    getState: 'GET /api/llm/state json',
  },
  login: {
    /** Sign in with user name and password. */
    create: 'POST /api/login/create body json replicas',
    /** Tell who the session belongs to. */
    check: 'GET /api/login/check json replicas',
    /** Change your own password. */
    changePassword: 'POST /api/login/password/change body none',
    /** Have a link mailed with which one can set a new password. */
    resetPassword: 'POST /api/login/password/reset body json',
    /** Set a new password with the token of a reset link. */
    completePasswordReset: 'POST /api/login/password/reset/complete body none',
    /** Sign out: end this session. */
    end: 'POST /api/login/end none',
    /** List the identity providers that can be signed in with. */
    listProviders: 'GET /api/login/providers json replicas',
    /** Take the session of a sign-in at an identity provider, once and in the same browser. */
    exchange: 'POST /api/login/exchange body json',
  },
  logs: {
    /** List the log files of this server. */
    listFiles: 'GET /api/graph/logs-files json',
    /** Search the log files of this server, and get every match as one file. */
    download: 'GET /api/graph/logs-files/download query text',
    /** Search what this server has logged. */
    search: 'GET /api/graph/logs query json',
    /** Count what this server has logged, by time and level. */
    count: 'GET /api/graph/logs/counts query json',
    /** Watch what this server logs. */
    watch: 'GET /api/graph/logs/live query special',
  },
  members: {
    /** List the members of this workspace, and how far each is. */
    list: 'GET /api/graph/members json',
    /** Let another member become the primary. */
    stepDown: 'POST /api/graph/members/step-down none',
  },
  migrations: {
    /** List the migrations: code that runs once. */
    list: 'GET /api/migrations query json',
    /** Make a migration; code that does not compile is kept, and does not run. */
    create: 'POST /api/migrations body json',
    /** Run the migration that is named, or all that have not succeeded, by name. */
    runAll: 'POST /api/migrations/run body json',
    /** Cancel the migration that runs, and wait up to 30 seconds for it to stop. */
    cancel: 'POST /api/migrations/cancel body json',
    /** Let the migration that is named run again, or all that ended without success. */
    resetStatus: 'POST /api/migrations/reset-task-status body json',
    /** Read a migration with its code, and how it ran. */
    get: 'GET /api/migrations/{name} json',
    /** Change a migration that is not running; what is left out stays as it is. */
    put: 'PUT /api/migrations/{name} body json',
    /** Delete a migration that is not running. */
    delete: 'DELETE /api/migrations/{name} none',
    /** Run a migration that has not succeeded. */
    run: 'POST /api/migrations/{name}/run json',
    /** Run a migration for up to 30 seconds, count what it would change, and write nothing. */
    dryRun: 'POST /api/migrations/{name}/dry-run json',
  },
  modules: {
    /** Create a module: code that endpoints, migrations and other modules import. */
    create: 'POST /api/modules/create body json',
    /** List the modules. */
    list: 'GET /api/modules query json replicas',
    /** Read one module, and what imports it. */
    get: 'GET /api/modules/{+name} json replicas',
    /** Change a module, and check again what imports it: both in one commit. */
    put: 'PUT /api/modules/{+name} body json',
    /** Delete a module that nothing imports. */
    delete: 'DELETE /api/modules/{+name} none',
    /** Compile the code of a module against the live schema without saving it. */
    check: 'POST /api/modules/check body json replicas',
  },
  nodes: {
    /** Read one node. */
    get: 'GET /api/node/{uid} json replicas',
    /** List what has been changed in a node. */
    listHistory: 'GET /api/node/{uid}/history query json replicas',
    /** List nodes by their UIDs, in that order, or of one type, newest first. */
    query: 'POST /api/node/query body json replicas',
    /** Read several nodes at once. */
    getMany: 'POST /api/node/many/full body json replicas',
    /** Read one field of several nodes, or a text made of several. */
    getManyFields: 'POST /api/node/many/field body json replicas',
    /** Download nodes as CSV. */
    downloadCsv: 'POST /api/node/download/csv body query bytes replicas',
    /** Download nodes as JSON, one on each line. */
    downloadJsonl: 'POST /api/node/download/jsonl body query bytes replicas',
    /** Download nodes as CSV, one file for each type. */
    downloadZip: 'POST /api/node/download/zip body query bytes replicas',
    /** Turn nodes that are stored nowhere into CSV. */
    downloadSyntheticCsv: 'POST /api/node/download/synthetic/csv body bytes replicas',
    /** Turn nodes that are stored nowhere into JSON, one on each line. */
    downloadSyntheticJsonl: 'POST /api/node/download/synthetic/jsonl body bytes replicas',
    /** List the types of nodes, how many nodes each has, and which the caller may write. */
    listTypes: 'GET /api/node/types json replicas',
    /** Read a node to change it, or to learn what a deletion would take along. */
    getRecord: 'GET /api/node/{uid}/record json replicas',
    /** Create a node, with edges to others. */
    create: 'POST /api/node body json',
    /** Change some fields of a node. */
    update: 'PATCH /api/node/{uid} body json',
    /** Delete a node with its edges, files and history. */
    delete: 'DELETE /api/node/{uid} query none',
    /** Add and remove edges of a node, all of them or none. */
    changeLinks: 'POST /api/node/{uid}/links body json',
    /** Give a node the values of an earlier version, as a new version. */
    restore: 'POST /api/node/{uid}/restore body json',
    /** Delete, link, unlink or share many nodes, 1,000 in each commit. */
    changeMany: 'POST /api/node/bulk body json',
  },
  oauth: {
    /** Tell the user which MCP client asks for access, and what it could do. */
    describe: 'POST /api/oauth/request body json replicas',
    /** Let an MCP client act as you, or refuse it. */
    decide: 'POST /api/oauth/consent body json',
    /** Register an MCP client for users, also where clients may not do so themselves. */
    createClient: 'POST /api/oauth/clients body json',
    /** List the MCP clients that act as users, or that administrators have registered. */
    clients: 'GET /api/oauth/clients query json replicas',
    /** List the users as whom an MCP client acts. */
    clientGrants: 'GET /api/oauth/clients/{id}/grants query json replicas',
    /** End all access of an MCP client, for good. */
    withdrawClient: 'DELETE /api/oauth/clients/{id} none',
    /** List the MCP clients that act as you. */
    grants: 'GET /api/oauth/grants query json replicas',
    /** End what you have granted to an MCP client. */
    endGrant: 'DELETE /api/oauth/grants/{id} none',
  },
  packages: {
    /** List the packages of npm that "trellis push" has bundled. */
    list: 'GET /api/packages query json replicas',
  },
  replicas: {
    /** Report the replicas and how far they are behind. */
    getHealth: 'GET /health/replica json',
    /** Tell whether this server is a replica. */
    getRole: 'GET /api/graph/replica json',
    /** List the replicas of this primary, with how far each is. */
    list: 'GET /api/replicas json',
    /** Compare the state of every replica with that of the primary, at one sequence. */
    verify: 'POST /api/replicas/verify json',
  },
  schema: {
    /** Read the types of nodes and edges and their fields. */
    get: 'GET /api/schema json replicas',
    /** Add types, fields and indexes, or widen fields; the same document twice changes nothing. */
    put: 'PUT /api/schema body json',
    /** Remove a field index; the nodes stay as they are. */
    removeIndex: 'DELETE /api/schema/indexes body none',
    /** Remove a former name of a type, an edge type or a field. */
    removeAlias: 'DELETE /api/schema/aliases body none',
    /** Rename, drop and retype types, edge types and fields that are in use, as one commit. */
    change: 'POST /api/schema/changes body json',
    /** List the changes of the schema that were made, the newest first. */
    changes: 'GET /api/schema/changes query json replicas',
    /** Take a change of the schema back, as one commit. */
    undoChange: 'POST /api/schema/changes/{id}/undo json',
  },
  search: {
    /** Read which types and fields can be searched, and how. */
    getSettings: 'GET /api/search/settings json replicas',
    /** Say which types and fields can be searched; what changed is indexed in the background. */
    putSettings: 'PUT /api/search/settings body json',
    /** Read which types and filters the search tool of models may use. */
    getLlmSettings: 'GET /api/search/settings/llm json replicas',
    /** Say which types and filters the search tool of models may use; empty lists are all. */
    putLlmSettings: 'PUT /api/search/settings/llm body json',
    /** Read how far the search index is, and how large. */
    getIndex: 'GET /api/search/index json',
  },
  secrets: {
    /** List the secrets that the code of endpoints may name in requests; never their values. */
    list: 'GET /api/secrets query json replicas',
    /** Set a secret: its value, the hosts it is sent to, and the endpoints that may use it. */
    put: 'PUT /api/secrets/{name} body json',
    /** Delete a secret. */
    delete: 'DELETE /api/secrets/{name} none',
  },
  sso: {
    /** Read the settings of an OpenID Connect provider. */
    getConfig: 'GET /api/{provider}/config json replicas',
    /** Change the settings of an OpenID Connect provider. */
    setConfig: 'POST /api/{provider}/config body json',
    /** Begin a sign-in at an OpenID Connect provider. */
    getLoginUrl: 'GET /api/{provider}/get-login-url query json',
    /** Take the browser back from an OpenID Connect provider. */
    completeLogin: 'GET /api/{provider}/completed-login-attempt query json',
    /** Read the settings of the SAML providers. */
    getSamlConfig: 'GET /api/saml/config json replicas',
    /** Change the settings of SAML providers. */
    setSamlConfig: 'POST /api/saml/config body json',
    /** Begin a sign-in at a SAML provider. */
    createSamlRequest: 'GET /api/saml/createrequest/{providerName}/{issuer}/{destination} json',
    /** Take the answer of a SAML provider. */
    consumeSamlResponse: 'POST /api/saml/acs body special',
    /** Describe this workspace to a SAML provider. */
    getSamlMetadata: 'GET /api/saml/metadata text',
  },
  stats: {
    /** Count the nodes and edges of each type. */
    getDatabase: 'GET /api/graph/stats/database text',
    /** Show the counters of worker pools and caches of this process. */
    getPool: 'GET /api/graph/stats/pool text',
    /** Count the nodes and edges of each type, and show the load of the last hour. */
    getOverview: 'GET /api/graph/stats/overview json',
    /** Count the edges by their type and the types of the nodes that they connect. */
    getRelations: 'GET /api/graph/stats/relations json',
  },
  status: {
    /** Tell whether the graph is loaded. */
    getReady: 'GET /api/graph/ready json',
    /** The check of a load balancer. */
    getAvailable: 'GET /api/available-status text',
    /**
     * Report whether memory, disk and the whole are well; to administrators also version, figures
     * and each part of the server.
     */
    getHealth: 'GET /health json',
  },
  synonyms: {
    /** List the terms that have synonyms in a language; paged by X-MSK-SKIP and X-MSK-LIMIT. */
    list: 'GET /api/search/synonyms/list/for query special replicas',
    /** Read the synonyms of a term, and words that are written much like it. */
    get: 'GET /api/search/synonyms/for query json replicas',
    /** Store the synonyms of a term, in one direction; replace=false adds to what there is. */
    put: 'PUT /api/search/synonyms/for body query json',
  },
  tasks: {
    /** List the tasks: what the server does by itself, and when. */
    list: 'GET /api/admin/tasks query json',
    /** List what the server brings along for tasks to run. */
    listBuiltIn: 'GET /api/admin/built-in-tasks json',
    /** Make a task: an endpoint, or what is built in, and when it runs. */
    create: 'POST /api/admin/tasks body json',
    /** Tell in words, and by the next times, what a cron expression means. */
    checkSchedule: 'POST /api/admin/tasks/check body json',
    /** Read a task, with when it runs next and how it ran last. */
    get: 'GET /api/admin/tasks/{name} json',
    /** Change a task; what is left out stays as it is. */
    put: 'PUT /api/admin/tasks/{name} body json',
    /** Delete a task that is not running. */
    delete: 'DELETE /api/admin/tasks/{name} none',
    /** Run a task now, enabled or not. */
    run: 'POST /api/admin/tasks/{name}/run json',
    /** Let a task run by its schedule, from now on. */
    enable: 'POST /api/admin/tasks/{name}/enable json',
    /** Keep a task from running by its schedule; a run that is under way goes on. */
    disable: 'POST /api/admin/tasks/{name}/disable json',
    /** List the last runs of a task, with how they ended and what they logged. */
    listRuns: 'GET /api/admin/tasks/{name}/log query json',
  },
  teams: {
    /** List the teams; `query` is looked for in their names. */
    list: 'GET /api/groups query json replicas',
    /** Create a team. */
    create: 'PUT /api/groups/group body json',
    /** Read a team. */
    get: 'GET /api/groups/group/{groupUID} json replicas',
    /** Change the name or the description of a team. */
    update: 'PUT /api/groups/group/{groupUID} body json',
    /** Delete a team that no node is restricted to. */
    delete: 'POST /api/groups/group/{groupUID}/delete none',
    /** Add members to a team, remove them, and say who administers it. */
    setUsers: 'PUT /api/groups/group/{groupUID}/users body json',
    /** List the users of a team; with `nested=true` those of the teams in it too. */
    listUsers: 'GET /api/groups/group/{groupUID}/users query json replicas',
  },
  tokens: {
    /** List the tokens, with revoked=false without those that are revoked; never their values. */
    list: 'GET /api/tokens query json replicas',
    /** Read one token: its kind and scopes, when it was used last, whether it is revoked. */
    get: 'GET /api/tokens/{id} json replicas',
    /** Create a token. */
    create: 'POST /api/tokens body json',
    /** Revoke a token, for good. */
    revoke: 'DELETE /api/tokens/{id} none',
  },
  tools: {
    /** List the tools: endpoints that models are offered under a name of their own. */
    list: 'GET /api/chatai/tools query json',
    /** Offer an endpoint to models as a tool, also one that writes. */
    create: 'POST /api/chatai/tools body json',
    /** Change a tool; what is left out stays as it is. */
    put: 'PUT /api/chatai/tools/{name} body json',
    /** Delete a tool. */
    delete: 'DELETE /api/chatai/tools/{name} none',
    /** Tell how often models called each tool, how it ended and how long it took. */
    getMetrics: 'GET /api/chatai/tools/metrics json',
  },
  triggers: {
    /** List the endpoints that changes of nodes run, and how far each is. */
    list: 'GET /api/admin/triggers json',
    /** Keep changes from running an endpoint; they wait. */
    pause: 'POST /api/admin/triggers/pause body json',
    /** Let changes run an endpoint again, from where it was paused. */
    resume: 'POST /api/admin/triggers/resume body json',
    /** List the changes for which an endpoint failed, and that the server does not try again. */
    listSetAside: 'GET /api/admin/triggers/set-aside query json',
    /** Run an endpoint once more for a change that is set aside. */
    retrySetAside: 'POST /api/admin/triggers/set-aside/{id}/retry json',
    /** Forget a change that is set aside. */
    deleteSetAside: 'DELETE /api/admin/triggers/set-aside/{id} none',
  },
  users: {
    /** List the users; `query` is looked for in names and addresses. */
    list: 'GET /api/users query json replicas',
    /** Create a user. */
    create: 'POST /api/users body json',
    /** Read a user: oneself, or anybody as an administrator. */
    get: 'GET /api/users/user/{uid} json replicas',
    /** Change a user: oneself, or others as an administrator or with the role CanManageUsers. */
    update: 'PUT /api/users/user/{uid} body json',
    /** Deactivate a user. */
    deactivate: 'POST /api/users/user/{uid}/deactivate none',
    /** Make a link with which the user can set a new password. */
    createPasswordResetLink: 'POST /api/users/user/{uid}/password-reset json',
  },
  webhooks: {
    /** List the addresses that are told what changes, and how far each is. */
    list: 'GET /api/webhooks query json',
    /** Tell an address what changes from now on. */
    create: 'POST /api/webhooks body json',
    /** Get a webhook. */
    get: 'GET /api/webhooks/{id} json',
    /**
     * Replace the settings of a webhook; with `enabled`, one that is paused goes on where it was.
     */
    update: 'PUT /api/webhooks/{id} body json',
    /** Delete a webhook, its secret and its list of deliveries. */
    delete: 'DELETE /api/webhooks/{id} none',
    /** List the last deliveries of a webhook, with what the receiver answered. */
    deliveries: 'GET /api/webhooks/{id}/deliveries query json',
    /** Deliver everything again from a sequence on, in order. */
    replay: 'POST /api/webhooks/{id}/replay body json',
    /** Send a delivery without changes, once, and answer what the receiver said. */
    test: 'POST /api/webhooks/{id}/test json',
    /** Make a new secret; for a day the one before signs as well. */
    rotateSecret: 'POST /api/webhooks/{id}/rotate json',
  },
  workspace: {
    /** Read the settings of the workspace. */
    getSettings: 'GET /api/workspace/settings json replicas',
    /** Change settings of the workspace; what is left out stays as it is. */
    putSettings: 'PUT /api/workspace/settings body json',
    /** Describe the API in OpenAPI 3.1, with the custom endpoints that the caller may run. */
    getApiDocument: 'GET /api/openapi.json json replicas',
    /** Tell what the license of this server allows, and whether it is good. */
    getLicense: 'GET /api/license json',
  },
} as const;
