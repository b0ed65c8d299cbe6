/**
 * A write in a read-only endpoint: a type that cannot be called, so that the compiler refuses the
 * call with this message. A type beats a marker parameter here: an argument of type `any` would
 * satisfy the parameter.
 */
export interface READ_ONLY_ENDPOINT<Message extends string> {
  readonly message: Message;
}

/** The graph of a read-only endpoint has no writes. */
export interface GraphWrites {
  readonly addOrUpdate: READ_ONLY_ENDPOINT<'graph.addOrUpdate() writes to the graph. This endpoint is marked Read Only.'>;
  readonly tryAdd: READ_ONLY_ENDPOINT<'graph.tryAdd() writes to the graph. This endpoint is marked Read Only.'>;
  readonly update: READ_ONLY_ENDPOINT<'graph.update() writes to the graph. This endpoint is marked Read Only.'>;
  readonly delete: READ_ONLY_ENDPOINT<'graph.delete() writes to the graph. This endpoint is marked Read Only.'>;
  readonly link: READ_ONLY_ENDPOINT<'graph.link() writes to the graph. This endpoint is marked Read Only.'>;
  readonly unlink: READ_ONLY_ENDPOINT<'graph.unlink() writes to the graph. This endpoint is marked Read Only.'>;
  readonly restrict: READ_ONLY_ENDPOINT<'graph.restrict() writes to the graph. This endpoint is marked Read Only.'>;
  readonly unrestrict: READ_ONLY_ENDPOINT<'graph.unrestrict() writes to the graph. This endpoint is marked Read Only.'>;
  readonly commit: READ_ONLY_ENDPOINT<'graph.commit() writes to the graph. This endpoint is marked Read Only.'>;
  readonly transaction: READ_ONLY_ENDPOINT<'graph.transaction() writes to the graph. This endpoint is marked Read Only.'>;
}
