/** The page that a server shows of itself: what anybody may know, asked from the server and its replicas. */

const TIMEOUT_MS = 3_000;
const STARTING_RECHECK_MS = 2_000;

/** Set by the server in the page that it sends: URLs with ";" between them. */
const SERVERS = String(globalThis.MSKREPLICAURLS ?? '')
  .split(';')
  .filter((url) => url !== '');

/** Without a slash at its end: the server may be reached below a path of another one. */
const BASE = new URL('.', location.href).href.replace(/\/$/, '');

const byId = (id) => document.getElementById(id);

/** The JSON of an answer, whatever its status; undefined when there is none. */
async function ask(url) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { signal, headers: { accept: 'application/json' } });
    return await response.json();
  } catch {
    return undefined;
  }
}

/** `mood` is one of "good", "waiting" and "bad": the colour beside the words. */
function showState(element, text, mood) {
  // A live region that is set to what it says already would be read out again.
  if (element.textContent !== text) element.textContent = text;
  element.dataset.mood = mood;
}

async function checkThisServer() {
  const [health, role] = await Promise.all([ask(`${BASE}/health`), ask(`${BASE}/health/replica`)]);
  const isReady = health?.ready === true;
  if (health === undefined) showState(byId('state'), 'Does not answer', 'bad');
  else if (isReady) showState(byId('state'), 'Ready', 'good');
  else showState(byId('state'), 'Starting', 'waiting');
  byId('role').textContent = roleText(role);
  byId('version').textContent = health?.version ?? 'Unknown';
  byId('explanation').textContent = explanationOf(health, role);
  if (!isReady) setTimeout(checkThisServer, STARTING_RECHECK_MS);
}

function roleText(role) {
  if (role === undefined) return 'Unknown';
  if (role.isReplica) return `Read-only replica, ${role.replicaName}`;
  if (!role.hasReplicas) return 'Primary';
  const { length } = role.replicas;
  return `Primary, with ${length} ${length === 1 ? 'replica' : 'replicas'}`;
}

function explanationOf(health, role) {
  if (health === undefined) return 'It may have stopped, or the network is down.';
  if (health.ready) return health.status === 'ok' ? '' : 'It needs attention: see its health.';
  return role?.isReplica
    ? 'It copies the graph from its primary. That takes a while the first time.'
    : 'It loads the graph.';
}

async function checkServers() {
  byId('servers-note').textContent =
    SERVERS.length === 0
      ? 'This server knows of no replicas.'
      : 'Read-only replicas that share the reading with the primary.';
  byId('servers').replaceChildren(...SERVERS.map(serverItem));
  await Promise.all([...byId('servers').children].map(checkServer));
}

function serverItem(url) {
  const item = document.createElement('li');
  const address = document.createElement('a');
  address.href = url;
  address.textContent = url;
  const state = document.createElement('span');
  state.className = 'state';
  showState(state, 'Checking', 'waiting');
  item.append(address, state);
  return item;
}

async function checkServer(item) {
  const [address, state] = item.children;
  const role = await ask(`${address.getAttribute('href')}/health/replica`);
  if (role?.isReplica === true) showState(state, `Answers as ${role.replicaName}`, 'good');
  else if (role?.isReplica === false) showState(state, 'Answers, but is no replica', 'waiting');
  else showState(state, 'Does not answer', 'bad');
}

byId('address').textContent = BASE;
byId('command').textContent = `trellis login --server ${BASE}`;
byId('base-url').textContent = BASE;
byId('check').hidden = SERVERS.length === 0;
byId('check').addEventListener('click', checkServers);
await Promise.all([checkThisServer(), checkServers()]);
