import { operations as mcp } from '../../operations/mcp.ts';
import * as adminAgent from '../../shapes/admin-agent.ts';
import * as agent from '../../shapes/agent.ts';
import * as assistant from '../../shapes/assistant.ts';
import * as chat from '../../shapes/chat.ts';
import * as research from '../../shapes/deep-research.ts';
import * as support from '../../shapes/support.ts';
import * as tool from '../../shapes/tool.ts';
import { texts } from './property-texts.ts';

const MODEL =
  'Model to ask, one that the settings of providers allow; by default the first of them.';
const TOOL_CALLS = 'Calls of tools that the model made, in order.';
const ENDED =
  'How the answer ended: `answer` as it should; any other value means that it may be cut short.';
const USAGE = 'Tokens that the answer used.';
const CHAT = 'UID of the conversation.';
const ACCESS = 'Who may use it: every user, or administrators alone.';
const TOKENS_PER_ANSWER = 'How many tokens one answer may have at most.';
const BASE_URL = 'Address that the protocol begins at, such as `https://api.openai.com/v1`.';
const API_KEY =
  'Key that the provider is sent, never answered. Left out, the stored one stays unless `baseUrl` changes; null removes it.';
const HAS_API_KEY = 'Whether a key is stored; the key itself is never answered.';

/** Models: providers, chat, agents, tools, and research. */
export const assistantTexts = [
  ...texts(assistant.aiProviders, {
    chat: [
      'Provider of chat; null if there is none.',
      {
        provider: 'Protocol that the provider speaks.',
        baseUrl: BASE_URL,
        model: 'Model that is asked if a request names none.',
        models: 'Models that may be asked; `model` is one of them.',
        tokensPerAnswer: TOKENS_PER_ANSWER,
        tokensPerUserAndDay:
          'How many tokens a user may use on one day in UTC, in and out together.',
        hasApiKey: HAS_API_KEY,
      },
    ],
    furtherChat: [
      'Further providers of chat, asked for models that no other one has.',
      {
        provider: 'Protocol that the provider speaks.',
        baseUrl: BASE_URL,
        tokensPerAnswer: TOKENS_PER_ANSWER,
        name: 'Name of the provider, for people.',
        models: 'Models that may be asked.',
        hasApiKey: HAS_API_KEY,
      },
    ],
    embeddings: [
      'Provider of embeddings; null if there is none.',
      {
        provider: 'Protocol that the provider speaks.',
        baseUrl: BASE_URL,
        model: 'Model that makes the vectors.',
        hasApiKey: HAS_API_KEY,
      },
    ],
  }),
  ...texts(assistant.aiProvidersChange, {
    chat: [
      'Provider of chat; left out, it stays; null removes it.',
      {
        model: 'Model that is asked if a request names none.',
        models: 'Models that may be asked; `model` is always one of them.',
        apiKey: API_KEY,
      },
    ],
    furtherChat: ['All further providers of chat from now on.', { apiKey: API_KEY }],
    embeddings: [
      'Provider of embeddings; left out, it stays; null removes it.',
      { model: 'Model that makes the vectors.', apiKey: API_KEY },
    ],
  }),
  ...texts(assistant.assistantSettings, {
    instructions:
      'What models of chat, agents and deep research are told in addition, such as the words of your field; empty for nothing.',
    judge: [
      'Model that says whether the sentences of an answer are supported by what they cite; null if there is none.',
      {
        provider: 'Name of a further provider, or the protocol that a provider of chat speaks.',
        model: 'Model to ask; another one than those that answer is advised.',
      },
    ],
  }),
  ...texts(mcp.callMcp.headers, {
    'mcp-session-id': 'Session that an earlier answer gave in the same header.',
    'mcp-protocol-version': 'Version of the protocol that both sides have agreed on.',
  }),
  ...texts(chat.chatTurn, {
    chatUID: 'UID of the conversation to go on with; left out, a new one begins.',
    message: 'What the user says; left out with `regenerateUID`.',
    tools:
      'Names of the tools that the model may call, of those that the user may; by default all of these.',
    viewingUID: 'UID of the node that the user looks at.',
    model: MODEL,
    editUID: 'UID of a message of the user that this one replaces, with everything after it.',
    regenerateUID: 'UID of an answer to ask for again; everything after it goes.',
    background:
      'Whether the turn goes on when the connection closes; by default closing it stops the turn.',
  }),
  ...texts(chat.chatCitation, {
    id: 'Number of the citation: `[id]` in the text of the answer stands for it.',
    uid: 'UID of the node that the fact comes from.',
    text: 'The text of the node that the answer is based on.',
  }),
  ...texts(chat.chatToolCall, {
    tool: 'Name of the tool.',
    input: 'What the model called the tool with.',
    output: 'What the tool answered; absent if it failed, or if that is too large to be kept.',
    error: 'Why the call failed; absent if it did not.',
  }),
  ...texts(chat.chatToolEvent, {
    state: 'Whether the call has begun or ended.',
    id: 'Id of the call, the same when it begins and when it ends.',
    tool: 'Name of the tool.',
    input: 'What the model called the tool with.',
  }),
  ...texts(chat.chatAnswer, {
    chatUID: CHAT,
    messageUID: 'UID of the answer in the conversation.',
    answer: 'Text of the answer, in Markdown.',
    citations: 'Facts in the answer and where they come from.',
    toolCalls: TOOL_CALLS,
    usage: `${USAGE.slice(0, -1)}; null if it was stopped or interrupted.`,
    model: 'Model that answered.',
    ended: ENDED,
  }),
  ...texts(support.answerSupport, {
    support: [
      'Sentences of the answer, in order, and whether what they cite says so.',
      {
        sentence: 'Sentence as it stands in the text of the answer.',
        start: 'Where it begins in the text, in UTF-16 units.',
        end: 'Where it ends, the end excluded.',
        verdict:
          'Whether what the sentence cites says so; `unchecked` if it cites nothing, or if only a judge could tell.',
        citations: [
          'What it cites and the reader may see.',
          {
            id: 'Number of the citation.',
            uid: 'UID of the cited node.',
            quote: 'Passage of the node that supports it, verbatim; empty if there is none.',
          },
        ],
      },
    ],
    supportRate: 'Supported sentences among those that are not `unchecked`; null if all are.',
    supportJudge: [
      'Model that was asked about the sentences; null if none was.',
      {
        model: 'Model that was asked.',
        outcome:
          'How it did: `incomplete` if it left sentences out, and `failed` if it had no answer; the rest stands as without it.',
        code: 'Code of the error that it failed with; null if it did not.',
      },
    ],
  }),
  ...texts(chat.chatFeedback, {
    value: 'What the user thinks of the answer; null takes it back.',
    comment: 'Why, in free text.',
  }),
  ...texts(chat.chatMessage, {
    UID: 'UID of the message.',
    role: 'Who says it.',
    text: 'What is said; an answer is Markdown.',
    at: 'When it was said (ISO 8601, UTC).',
    viewingUID:
      'UID of the node that the user looked at; null if none, or one that is not seen any more.',
    citations: 'Facts in the answer and where they come from.',
    toolCalls: TOOL_CALLS,
    usage: `${USAGE.slice(0, -1)}; null while it is under way, and if it was interrupted.`,
    model: 'Model that answers.',
    ended: `${ENDED.slice(0, -1)}, and \`failed\` that \`error\` says why. Null while it is under way.`,
    error: 'Why the answer failed; null if it did not.',
    feedback: [
      'What the user thinks of the answer; null if they did not say.',
      { value: 'What the user thinks of the answer.' },
    ],
  }),
  ...texts(chat.chatFeedbackQuery, {
    value: 'Only answers that are rated so.',
    from: 'Only answers not before this time (ISO 8601).',
    to: 'Only answers before this time (ISO 8601).',
  }),
  ...texts(chat.chatFeedbackItem, {
    messageUID: 'UID of the answer.',
    value: 'What the user thinks of the answer.',
    comment: 'Why, in free text; null if the user did not say.',
    at: 'When the answer was given (ISO 8601, UTC).',
    model: 'Model that answered.',
    user: [
      'User whose conversation it is.',
      { uid: 'UID of the user.', name: 'Name of the user.' },
    ],
  }),
  ...texts(chat.ratedConversation, {
    messages: 'Messages up to the answer, oldest first.',
  }),
  ...texts(chat.chatSummary, {
    UID: CHAT,
    title: 'Title of the conversation; by default the beginning of its first message.',
    updatedAt: 'When the last turn was (ISO 8601, UTC).',
    isBusy: 'Whether an answer is under way.',
    busyWith: 'What the answer comes from: a turn or a deep research; null if none is under way.',
  }),
  ...texts(chat.chat, { messages: 'Messages, oldest first.' }),
  ...texts(chat.chatListQuery, { query: 'Words to find in the title, in any case.' }),
  ...texts(chat.chatOptions, {
    isConfigured: 'Whether there is a provider of chat.',
    model: 'Model that is asked if a turn names none; null if there is no provider.',
    models: 'Models that a turn may name.',
    tools: [
      'Tools that the model is offered, by name.',
      { name: 'Name of the tool.', description: 'What the tool does, for the model.' },
    ],
  }),
  ...texts(chat.newChat, {
    title: 'Title of the conversation; by default the beginning of its first message.',
  }),
  ...texts(chat.chatChange, { title: 'The new title of the conversation.' }),
  ...texts(chat.chatInPath, { uid: CHAT }),
  ...texts(chat.chatMessageInPath, { uid: CHAT, messageUID: 'UID of an answer in it.' }),
  ...texts(tool.toolInPath, { name: 'Name of the tool.' }),
  ...texts(tool.toolDefinition, {
    UID: 'UID of the tool.',
    name: 'Name of the tool: letters, digits, "_" and "-".',
    description: 'What the tool does and when to call it, for the model.',
    endpoint: 'Name of the endpoint that the tool runs.',
    access: 'Whose models are offered the tool, if they may call the endpoint.',
    enabled: 'Whether models are offered the tool.',
    isReadOnly: 'Whether the endpoint only reads; null if there is no such endpoint.',
    mayRunOnPrimary:
      'Whether the endpoint may write by way of another one although it is read-only; null if there is no such endpoint.',
    problem: 'Why nobody is offered the tool; null if it works.',
  }),
  ...texts(tool.newTool, { name: 'Name of the new tool: letters, digits, "_" and "-".' }),
  ...texts(tool.toolMetricsList, {
    items: ['Counts of each tool that was called.', { tool: 'Name of the tool.' }],
  }),
  ...texts(agent.agentInPath, { name: 'Name of the agent.' }),
  ...texts(agent.agentRunInPath, { uid: 'UID of the run.' }),
  ...texts(agent.agentRunsQuery, { agent: 'Lists only runs of this agent.' }),
  ...texts(agent.agentDefinition, {
    UID: 'UID of the agent.',
    name: 'Name of the agent: letters, digits, "_" and "-".',
    description: 'What the agent does, for people and for models that call it.',
    model: 'Model to ask; null for the first that the settings of providers allow.',
    instructions: 'What the model is told, with variables: `${NAME}`, or `${NAME:-a default}`.',
    tools: 'Names of the tools that a run may call, of those that its user may.',
    outputSchema: 'JSON Schema that every answer has to fit; null if answers are text.',
    access: ACCESS,
    limits: [
      'What one run may use.',
      {
        steps: 'How often the model may be asked.',
        toolCalls: 'How many tools may be called.',
        tokens: 'How many tokens may be used, in and out, over all steps.',
        seconds: 'How long the run may take, in seconds.',
      },
    ],
  }),
  ...texts(agent.newAgent, {
    name: 'Name of the new agent: letters, digits, "_" and "-".',
    limits: 'What one run may use; a limit that is left out has its default.',
  }),
  ...texts(agent.agentChange, { limits: 'What one run may use; a limit that is left out stays.' }),
  ...texts(agent.agentSummary, {
    name: 'Name of the agent.',
    variables: 'Names of the variables in the instructions.',
  }),
  ...texts(agent.agentRunRequest, {
    message: 'What the agent is asked.',
    variables: 'Values of the variables in the instructions, by name.',
    async: 'Whether to answer at once while the run goes on; by default not.',
  }),
  ...texts(agent.agentRunWithTranscript, {
    citations: 'Facts in a result that is text, and where they come from.',
    UID: 'UID of the run.',
    agent: 'Name of the agent.',
    user: 'UID of the user whom it runs as.',
    status: 'Whether it goes on, or how it ended.',
    message: 'What the agent was asked.',
    variables: 'Values of the variables, by name.',
    result: 'The answer: text, or what `outputSchema` says; null unless the run is completed.',
    error: 'Why it failed; null if it did not.',
    usage: 'Tokens that the run used.',
    transcript: [
      'What was said and which tools were called, oldest first.',
      {
        role: 'Who said it; `tool` for a call of a tool.',
        text: 'What was said.',
        tool: 'Name of the tool.',
        input: 'What the model called the tool with.',
        output: 'What the tool answered; absent if it failed, or if that is too large to be kept.',
        error: 'Why the call failed; absent if it did not.',
      },
    ],
  }),
  ...texts(agent.agentRun, {
    citations: 'Facts in a result that is text, and where they come from.',
    UID: 'UID of the run.',
    agent: 'Name of the agent.',
  }),
  ...texts(adminAgent.adminAgentSessionInPath, { id: 'Id of the conversation.' }),
  ...texts(adminAgent.uploadedFile, {
    name: 'Name of the file.',
    path: 'Path under which the agent reads the file.',
  }),
  ...texts(adminAgent.adminAgentMessage, {
    role: 'Who says it.',
    text: 'What is said.',
    at: 'When it was said (ISO 8601, UTC).',
    toolCalls: 'Calls of tools by the assistant; empty for a user.',
  }),
  ...texts(adminAgent.proposalItem, {
    kind: 'What the definition is.',
    name: 'Name of the definition.',
    action: 'What the agent wants to do with it.',
    before: 'The definition as it was when this was proposed; null if there was none.',
    after: 'The definition as it would be; null if it would be deleted.',
    diff: 'Unified diff: settings as JSON, then the code.',
    diagnostics: 'What is wrong with it; empty if nothing is.',
    widensAccess: 'In sentences, what more people could read or do; empty if nothing.',
  }),
  ...texts(adminAgent.adminAgentProposal, {
    id: 'Id of the proposal; another one whenever the agent proposes again.',
    summary: 'What is proposed, in the words of the agent.',
    items: 'The definitions to create, change or delete.',
    isValid: 'Whether it may be approved: no item has diagnostics.',
  }),
  ...texts(adminAgent.adminAgentSession, {
    id: 'Id of the conversation.',
    title: 'The beginning of the first message; empty before it.',
    messages: 'Messages, oldest first.',
    uploads: 'Files that were uploaded to it, by name.',
    proposal: 'What the agent proposes; null if nothing.',
  }),
  ...texts(adminAgent.adminAgentSessionListed, {
    updatedAt: 'When the last message or change was (ISO 8601, UTC).',
    hasProposal: 'Whether the agent proposes something.',
  }),
  ...texts(adminAgent.adminAgentTurn, {
    message: 'What the administrator says.',
    model: MODEL,
  }),
  ...texts(adminAgent.adminAgentAnswer, {
    answer: 'Text of the answer, in Markdown.',
    toolCalls: TOOL_CALLS,
    usage: USAGE,
    model: 'Model that answered.',
    ended: ENDED,
    proposal: 'What the agent proposes after this turn; null if nothing.',
  }),
  ...texts(adminAgent.adminAgentApproval, {
    proposal:
      'Id of the proposal that was looked at; `version_conflict` if there is another one by now.',
    acceptWidenedAccess: 'Has to be true if an item of the proposal has `widensAccess`.',
  }),
  ...texts(adminAgent.adminAgentCommit, {
    committed: [
      'What was done, in order.',
      { historyVersion: 'Version in the history of code; null for what has none.' },
    ],
    failed: [
      'What could not be done, after which nothing more was; null if all was done.',
      { error: 'Why it could not be done.' },
    ],
    notCommitted: 'What was not begun.',
  }),
  ...texts(research.chatInQuery, { chatUID: 'UID of the conversation that the research is in.' }),
  ...texts(research.chatInPath, { uid: CHAT }),
  ...texts(research.researchStart, {
    chatUID: 'UID of the conversation that the report comes into.',
    question: 'What is to be studied.',
  }),
  ...texts(research.researchSettings, {
    limits: [
      'Limits as they hold.',
      {
        queued: 'How many researches may wait in the workspace.',
        running: 'How many researches may run at a time in the workspace.',
        runsPerUser: 'How many researches of one user may wait or run.',
        steps: 'How often one research may ask a model.',
        tokens: 'How many tokens one research may use, in and out.',
        minutes: 'How long one research may run, in minutes, without the time that it waited.',
      },
    ],
    defaults: 'Limits as they hold if nothing is set.',
    researchers: [
      'Researchers that work side by side on the parts of a question.',
      {
        name: 'Name of the researcher.',
        instructions: 'What the researcher is to look for and how, for the model.',
      },
    ],
    running: [
      'Researches that are under way.',
      {
        chatUID: 'UID of the conversation.',
        user: 'Who asked for it.',
        startedAt: 'When it was asked for (ISO 8601, UTC).',
        step: 'What its job does now.',
      },
    ],
    queued: 'Researches that wait, the next one first.',
  }),
  ...texts(research.researchSettingsChange, {
    limits: [
      'Limits to change; 0 takes back what was set.',
      {
        queued: 'How many researches may wait in the workspace.',
        running: 'How many researches may run at a time in the workspace.',
        runsPerUser: 'How many researches of one user may wait or run.',
        steps: 'How often one research may ask a model.',
        tokens: 'How many tokens one research may use, in and out.',
        minutes: 'How long one research may run, in minutes, without the time that it waited.',
      },
    ],
    researchers: 'All researchers from now on; an empty list brings back those that are built in.',
  }),
];
