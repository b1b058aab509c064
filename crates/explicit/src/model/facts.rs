//! Facts that a file states about itself and about its model.

/// Facts about a model and the file it was read from; all may be absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Name of the model.
    pub name: Option<String>,
    /// Version of the model.
    pub version: Option<String>,
    /// Authors of the model.
    pub authors: Vec<String>,
    /// A description of the model.
    pub description: Option<String>,
    /// A remark.
    pub comment: Option<String>,
    /// Digital object identifier of a publication.
    pub doi: Option<String>,
    /// Where the model is published.
    pub url: Option<String>,
    /// Tool that wrote the file.
    pub tool: Option<String>,
    /// Version of that tool.
    pub tool_version: Option<String>,
    /// When the file was written, in seconds since 1970.
    pub created_s: Option<u64>,
    /// Parameters of the tool, as JSON.
    pub parameters: Option<String>,
}
