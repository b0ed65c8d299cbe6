import { byType, circle } from './arrangements.ts';
import {
  EMPTY_HISTORY,
  type History,
  type Picture,
  record,
  redo,
  undo,
} from './drawing-history.ts';
import { ForceLayout } from './force-layout.ts';
import {
  add,
  type Addition,
  collapse,
  type Drawing,
  edgeId,
  EMPTY_DRAWING,
  removeEdge,
  removeNodes,
  setHidden,
  setPinned,
  type TypeKind,
} from './graph-model.ts';
import { GraphScene } from './graph-scene.ts';
import { TypeSlots } from './type-colors.ts';

export type Arrangement = 'force' | 'circle' | 'type';

/** What is lifted out of the drawing, such as a path. */
export interface Highlight {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}

/** What the page shows of the editor, as a value. */
export interface EditorView {
  readonly drawing: Drawing;
  readonly selected: string | undefined;
  readonly highlight: Highlight | undefined;
  readonly arrangement: Arrangement;
  readonly isLayoutRunning: boolean;
  /** The step that can be undone, or done again. */
  readonly undoLabel: string | undefined;
  readonly redoLabel: string | undefined;
  /** Rises when what is drawn, or where it is, has changed. */
  readonly revision: number;
  /** Nodes of the picture that was opened last which are gone, or which the viewer may not see. */
  readonly missing: number;
}

/** What an address says of the drawing that it begins with; in the order of the members. */
export interface GraphAddress {
  /** UIDs with commas between them. */
  readonly node?: string | undefined;
  /** A picture: see `packGraph`. */
  readonly layout?: string | undefined;
  /** A picture that the tab keeps: see `pictureOfTab`. */
  readonly kept?: string | undefined;
}

function addressText({ node, layout, kept }: GraphAddress): string {
  return JSON.stringify([node, layout, kept]);
}

/** From so many nodes on the layout begins only when it is asked for. */
const SELF_MOVING_NODES_MAX = 2_000;

/**
 * The drawing of the page with its history, its places and its layout. Every change of the drawing
 * is a step.
 */
export class GraphEditor {
  readonly scene = new GraphScene();
  readonly nodeSlots = new TypeSlots();
  readonly edgeSlots = new TypeSlots();
  readonly #layout = new ForceLayout();
  readonly #listeners = new Set<() => void>();
  #history: History = EMPTY_HISTORY;
  /** The revision that an address says, and which address. */
  #kept: { readonly revision: number; readonly at: string } | undefined;
  #view: EditorView = {
    drawing: EMPTY_DRAWING,
    selected: undefined,
    highlight: undefined,
    arrangement: 'force',
    isLayoutRunning: false,
    undoLabel: undefined,
    redoLabel: undefined,
    revision: 0,
    missing: 0,
  };

  get view(): EditorView {
    return this.#view;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** In the place of what was drawn. The layout does not begin: the picture is as it was saved. */
  open(label: string, picture: Picture, missing = 0): void {
    this.#record(label);
    this.#showPicture(picture);
    this.#set({ missing });
  }

  add(label: string, addition: Addition): void {
    this.#change(label, add(this.#view.drawing, addition));
  }

  /** Draws paths and lifts them out. */
  showPath(label: string, path: Addition): void {
    this.add(label, path);
    const { drawing } = this.#view;
    const uids = path.nodes.map(({ uid }) => uid).filter((uid) => drawing.nodes.has(uid));
    const edges = path.edges.map(edgeId).filter((id) => drawing.edges.has(id));
    this.#set({ highlight: { nodes: new Set(uids), edges: new Set(edges) } });
  }

  collapse(uid: string): void {
    this.#change(`collapse ${this.labelOf(uid)}`, collapse(this.#view.drawing, uid));
  }

  removeNode(uid: string): void {
    const label = `remove ${this.labelOf(uid)}`;
    this.#change(label, removeNodes(this.#view.drawing, new Set([uid])));
  }

  removeEdge(id: string): void {
    const edge = this.#view.drawing.edges.get(id);
    if (edge === undefined) return;
    const label = `remove ${edge.type} of ${this.labelOf(edge.from)}`;
    this.#change(label, removeEdge(this.#view.drawing, id));
  }

  clear(): void {
    this.#change('clear', EMPTY_DRAWING);
    this.#set({ missing: 0 });
  }

  setPinned(uid: string, isPinned: boolean): void {
    const label = `${isPinned ? 'pin' : 'unpin'} ${this.labelOf(uid)}`;
    this.#change(label, setPinned(this.#view.drawing, uid, isPinned));
  }

  setHidden(kind: TypeKind, type: string, isHidden: boolean): void {
    this.#record(`${isHidden ? 'hide' : 'show'} ${type}`);
    this.#show(setHidden(this.#view.drawing, kind, type, isHidden));
  }

  /** After a node was dragged; `before` is the picture from before it was touched. */
  dropNode(uid: string, before: Picture): void {
    this.#record(`move ${this.labelOf(uid)}`, before);
    this.#show(setPinned(this.#view.drawing, uid, true));
  }

  /** Nothing of it is a step. */
  select(selected: string | undefined): void {
    this.#set({ selected });
  }

  clearHighlight(): void {
    this.#set({ highlight: undefined });
  }

  arrange(arrangement: Arrangement): void {
    if (arrangement === 'force') {
      this.#record('force layout');
      this.#set({ arrangement });
      this.startLayout();
      return;
    }
    this.stopLayout();
    const { drawing } = this.#view;
    this.#record(arrangement === 'circle' ? 'circle' : 'layout by type');
    this.scene.move(arrangement === 'circle' ? circle(drawing) : byType(drawing));
    this.#set({ arrangement });
  }

  startLayout(): void {
    if (this.#view.drawing.nodes.size < 2) return;
    this.#layout.start(this.scene.layoutStart(), {
      onPositions: (positions) => this.scene.move(positions),
      onSettled: () => this.#set({ isLayoutRunning: false }),
    });
    this.#set({ isLayoutRunning: true, arrangement: 'force' });
  }

  stopLayout(): void {
    this.#layout.stop();
    if (this.#view.isLayoutRunning) this.#set({ isLayoutRunning: false });
  }

  undo(): void {
    this.#turn(undo);
  }

  redo(): void {
    this.#turn(redo);
  }

  /** Notes that this address begins with what is drawn now. */
  keep(at: GraphAddress): void {
    this.#kept = { revision: this.#view.revision, at: addressText(at) };
  }

  isKept(at: GraphAddress): boolean {
    return this.#kept?.revision === this.#view.revision && this.#kept.at === addressText(at);
  }

  labelOf(uid: string): string {
    return this.#view.drawing.nodes.get(uid)?.label ?? uid;
  }

  #turn(turn: typeof undo): void {
    const turned = turn(this.#history, this.scene.picture());
    if (turned === undefined) return;
    this.#history = turned.history;
    this.#showPicture(turned.picture);
  }

  #showPicture({ drawing, positions }: Picture): void {
    this.stopLayout();
    this.#show(drawing, positions);
  }

  #change(label: string, drawing: Drawing): void {
    const { nodes, edges } = this.#view.drawing;
    this.#record(label);
    this.#show(drawing);
    const hasMore = drawing.nodes.size > nodes.size || drawing.edges.size > edges.size;
    const { isLayoutRunning, arrangement } = this.#view;
    if (isLayoutRunning) this.startLayout();
    else if (hasMore && arrangement === 'force' && drawing.nodes.size <= SELF_MOVING_NODES_MAX) {
      this.startLayout();
    }
  }

  #record(label: string, before = this.scene.picture()): void {
    this.#history = record(this.#history, label, before);
  }

  #show(drawing: Drawing, positions?: Float32Array): void {
    this.scene.show(drawing, positions);
    const { selected, highlight } = this.#view;
    const isHighlightThere = [...(highlight?.nodes ?? [])].every((uid) => drawing.nodes.has(uid));
    this.#set({
      drawing,
      selected: selected !== undefined && drawing.nodes.has(selected) ? selected : undefined,
      highlight: isHighlightThere ? highlight : undefined,
    });
  }

  #set(change: Partial<EditorView>): void {
    const undoLabel = this.#history.done.at(-1)?.label;
    const redoLabel = this.#history.undone.at(-1)?.label;
    const { isLayoutRunning, drawing, arrangement } = change;
    const hasMoved =
      drawing !== undefined || arrangement !== undefined || isLayoutRunning === false;
    const revision = this.#view.revision + Number(hasMoved);
    this.#view = { ...this.#view, ...change, undoLabel, redoLabel, revision };
    for (const listener of this.#listeners) listener();
  }
}
